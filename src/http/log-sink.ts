import { fstatSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Characters that are buffered while a reader is slow or a disk is full. More are dropped. */
const MAX_WAITING = 4 * 1024 * 1024;
/** The pause before another try on a full disk, in milliseconds. */
const RETRY_MS = 1000;

/** Sends a text, and reports whether that worked. */
type Send = (text: string, done: (error: Error | null) => void) => void;

/** A destination for log lines that can neither stop the service nor exhaust its memory. See {@link openSink}. */
export interface LineSink {
  /** Never waits and never throws. */
  write(line: string): void;
  /** The number of lines dropped so far. */
  readonly dropped: number;
}

/** @param max characters that may wait */
class Sink implements LineSink {
  dropped = 0;
  private told = 0;
  private waiting: string[] = [];
  private size = 0;
  private isSending = false;
  private sender: Send | null = null;

  constructor(
    private readonly fd: number,
    private readonly max: number,
  ) {}

  write(line: string): void {
    if (this.size + line.length > this.max) {
      this.dropped++;
      return;
    }
    this.waiting.push(line);
    this.size += line.length;
    if (this.isSending) return;
    this.isSending = true;
    // Lines of one tick are written together.
    setImmediate(() => this.next());
  }

  /** Writes what can be written without waiting, when the process ends. */
  flush(): void {
    const text = this.take();
    if (text === '') return;
    try {
      writeSync(this.fd, text);
    } catch {
      // Nobody reads it, or there is no room.
    }
  }

  private take(): string {
    const text = this.waiting.join('');
    this.waiting = [];
    this.size = 0;
    return text;
  }

  private next(): void {
    const count = this.waiting.length;
    if (count === 0) {
      this.isSending = false;
      return;
    }
    this.sender ??= isPipe(this.fd) ? toPipe(this.fd) : toFile(this.fd);
    this.sender(this.take(), (error) => {
      if (error === null) {
        this.report();
        this.next();
        return;
      }
      this.dropped += count;
      setTimeout(() => this.next(), RETRY_MS).unref();
    });
  }

  /** Reports dropped lines, once writing works again. */
  private report(): void {
    if (this.dropped === this.told) return;
    const dropped = this.dropped - this.told;
    this.told = this.dropped;
    const time = new Date().toISOString();
    const msg = 'lines were dropped, because the log could not be written';
    // The line before may have been cut.
    this.waiting.push(`\n${JSON.stringify({ level: 'warn', time, dropped, msg })}\n`);
  }
}

/**
 * Opens a file descriptor for log lines. A full disk or a stalled or closed reader neither blocks the service nor makes it
 * buffer more than `max` characters. Further lines are dropped and counted; the count is logged once writing works again.
 */
export function openSink(fd: number, max = MAX_WAITING): LineSink {
  const known = sinks.get(fd);
  if (known) return known;
  const sink = new Sink(fd, max);
  sinks.set(fd, sink);
  process.on('exit', () => sink.flush());
  return sink;
}

/** One sink for each descriptor. */
const sinks = new Map<number, LineSink>();

function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

/** Not by `process.stdout`, which waits for the reader of a pipe with everything that the process does. */
function toPipe(fd: number): Send {
  const socket = new Socket({ fd, readable: false, writable: true });
  let lost: Error | null = null;
  socket.on('error', (error) => (lost = error)); // The reader has closed the pipe.
  socket.unref();
  return (text, done) => {
    if (lost !== null) done(lost);
    else socket.write(text, (error) => done(error ?? null));
  };
}

function toFile(fd: number): Send {
  return (text, done) => {
    const bytes = Buffer.from(text);
    const from = (at: number): void => {
      write(fd, bytes, at, bytes.length - at, null, (error, written) => {
        if (error) done(error);
        else if (at + written < bytes.length) from(at + written);
        else done(null);
      });
    };
    from(0);
  };
}
