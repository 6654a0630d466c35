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

/** Limits the size of the log: a large one becomes `<log>.1`, which is replaced. Call it while no server writes. */
export function rotateLog(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && found.size > ROTATE_BYTES) renameSync(path, `${path}.1`);
}

/**
 * Limits the size of the log while a server appends to it: copies it to `<log>.1` and truncates it. Lines written in between
 * are lost. Returns a function that stops this.
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
      // Such as a full disk. Try again later; the log is not essential.
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** The log, open for appending, and the position of its next line (bytes). */
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
