import copy
import json
import pickle

import numpy as np
import torch
import yaml
from yaml import SafeLoader


def read(blob, stream, value):
    json.loads(blob)
    json.load(stream)
    yaml.safe_load(stream)
    yaml.load(stream, Loader=yaml.SafeLoader)
    yaml.load(stream, SafeLoader)
    yaml.load_all(stream, Loader=yaml.CSafeLoader)
    pickle.dumps(value)
    pickle.loads(pickle.dumps(value))
    np.load("a.npy")
    torch.load("model.pt", weights_only=True)
    return copy.deepcopy(value)
