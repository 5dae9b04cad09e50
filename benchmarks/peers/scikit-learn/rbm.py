"""µs per BernoulliRBM.partial_fit with one image at a time: rbm.py IMAGES.npy HIDDEN BATCH BATCHES

Prints one line of JSON: the version and the time of each batch.
"""

import json
import sys
import time

import numpy as np
import sklearn
from sklearn.neural_network import BernoulliRBM


def main(images, n_hidden, batch, batches):
    machine = BernoulliRBM(n_components=n_hidden, learning_rate=0.01, random_state=1)
    rng = np.random.default_rng(1)
    for _ in range(20):
        machine.partial_fit(images[:1])
    times = []
    for _ in range(batches):
        began = time.process_time()
        for n in rng.integers(0, len(images), batch):
            machine.partial_fit(images[n : n + 1])
        times.append((time.process_time() - began) / batch * 1e6)
    print(json.dumps({"version": sklearn.__version__, "us": times}))


if __name__ == "__main__":
    main(np.load(sys.argv[1]), *map(int, sys.argv[2:]))
