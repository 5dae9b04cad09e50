/* How often do the spikes of a probe say what was shown? As `synsamp.lab.readout`. */

/** Spikes of each neuron per label, and decoding; ``counts`` of a trial are [window, neuron]. */
export function results(counts, nNeurons, { labels, from = 0, to = nNeurons, tuning }) {
  const kinds = [...new Set(labels)].sort((a, b) => a - b);
  const isSeen = (k) => k % nNeurons >= from && k % nNeurons < to;
  const seen = counts.map((own) => own.filter((_, k) => isSeen(k)));
  const found = {
    trials: labels.length,
    correct: decoded(seen, labels, kinds),
    chance: 1 / kinds.length,
  };
  if (!tuning) return found;
  const of = kinds.map((kind) => labels.flatMap((label, i) => (label === kind ? [i] : [])));
  found.mean = Array.from(counts[0], (_, k) =>
    of.map((trials) => total(trials, (i) => counts[i][k]) / trials.length),
  );
  found.error = Array.from(counts[0], (_, k) =>
    of.map((trials, j) => {
      const squares = total(trials, (i) => (counts[i][k] - found.mean[k][j]) ** 2);
      return Math.sqrt(squares / (trials.length - 1) / trials.length);
    }),
  );
  return found;
}

/** Trials whose label is found by the nearest centroid of the other half of the trials. */
function decoded(counts, labels, kinds) {
  const half = Math.floor(counts.length / 2);
  let correct = 0;
  for (const isTested of [(i) => i >= half, (i) => i < half]) {
    const centroids = kinds.map((kind) => {
      const trials = labels.flatMap((label, i) => (label === kind && !isTested(i) ? [i] : []));
      return counts[0].map((_, k) => total(trials, (i) => counts[i][k]) / trials.length);
    });
    counts.forEach((own, i) => {
      if (!isTested(i)) return;
      const distances = centroids.map((c) => c.reduce((sum, v, k) => sum + (own[k] - v) ** 2, 0));
      if (kinds[distances.indexOf(Math.min(...distances))] === labels[i]) correct += 1;
    });
  }
  return correct;
}

function total(values, of) {
  let sum = 0;
  for (const v of values) sum += of(v);
  return sum;
}
