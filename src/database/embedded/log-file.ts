import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';

const ROTATE_BYTES = 10 * 1024 * 1024;
const LOOK_MS = 60_000;

/** Keeps the log bounded: a large one becomes `<log>.1`, in place of the one before. Call it while no server writes. */
export function rotateLog(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && found.size > ROTATE_BYTES) renameSync(path, `${path}.1`);
}

/**
 * Keeps the log bounded while a server writes to it: what is there is copied to `<log>.1`, and the file emptied, which the
 * server, appending, goes on in. Lines that come between the two are lost. Returns the way to end it.
 */
export function keepLogBounded(
  path: string,
  { bytes = ROTATE_BYTES, everyMs = LOOK_MS }: { bytes?: number; everyMs?: number } = {},
): () => void {
  const timer = setInterval(() => {
    try {
      if (statSync(path).size <= bytes) return;
      copyFileSync(path, `${path}.1`);
      truncateSync(path);
    } catch {
      // A full disk, say: the log is not worth more than another try in a while.
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** The log, open for appending, and where its next line will begin (bytes). */
export function openLog(path: string): { fd: number; start: number } {
  const fd = openSync(path, 'a', 0o600);
  return { fd, start: fstatSync(fd).size };
}

/** What was written to the log since a position. */
export function readLog(path: string, start: number): string {
  const fd = openSync(path, 'r');
  try {
    const text = Buffer.alloc(Math.min(Math.max(fstatSync(fd).size - start, 0), ROTATE_BYTES));
    return text.toString('utf8', 0, readSync(fd, text, 0, text.length, start));
  } finally {
    closeSync(fd);
  }
}
