import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const ROTATE_BYTES = 10 * 1024 * 1024;

/** Keeps the log bounded: a large one becomes `<log>.1`, in place of the one before. Call it while no server writes. */
export function rotateLog(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && found.size > ROTATE_BYTES) renameSync(path, `${path}.1`);
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
