/* Counts of values in bins, as NumPy's histogram: the last bin includes its upper edge. */

/** Add one to the bin of a value. */
export function countIn(counts, edges, value) {
  const last = edges.length - 1;
  if (!(value >= edges[0] && value <= edges[last])) return;
  let bin = 0;
  while (bin < last - 1 && value >= edges[bin + 1]) bin += 1;
  counts[bin] += 1;
}

/** Middles of the bins. */
export const middles = (edges) => edges.slice(1).map((edge, i) => 0.5 * (edge + edges[i]));
