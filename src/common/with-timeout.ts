/**
 * The result of `work`, or `late` if it takes longer than `ms` milliseconds. Late work continues, and its result is ignored.
 * Leaves no timer behind.
 * @throws as the work does
 */
export async function withTimeout<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
