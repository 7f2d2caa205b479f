"""A task runner in this process that pickles what others send to another one."""

import pickle

from querykin.distributed.task_runner import ThisProcess


class PickledTasks(ThisProcess):
    """Runs one task after the other, with function, task and result pickled."""

    def __init__(self, slots=3):
        self.slots = slots

    def results(self, function, tasks):
        sent = pickle.dumps(function)
        for number, task in enumerate(tasks):
            result = pickle.loads(sent)(pickle.loads(pickle.dumps(task)))
            yield number, pickle.loads(pickle.dumps(result))
