import pickle

import dill
import joblib
import jsonpickle
import numpy as np
import pandas
import torch
import yaml


def read(blob, stream):
    pickle.loads(blob)  # bad
    pickle.load(stream)  # bad
    pickle.Unpickler(stream).load()  # bad
    dill.loads(blob)  # bad
    yaml.load(stream)  # bad
    yaml.load(stream, Loader=yaml.Loader)  # bad
    yaml.unsafe_load(stream)  # bad
    jsonpickle.decode(blob)  # bad
    joblib.load("model.bin")  # bad
    pandas.read_pickle("frame.pkl")  # bad
    np.load("a.npy", allow_pickle=True)  # bad
    return torch.load("model.pt", weights_only=False)  # bad
