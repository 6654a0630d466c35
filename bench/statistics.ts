/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return (quantile(sorted, 0.5) + (sorted.at(-1 - Math.floor(sorted.length / 2)) ?? NaN)) / 2;
}

/** The value below which the share `q` of the sorted values is; NaN of none. */
export function quantile(sorted: Float64Array, q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}
