"""task-master: tasks.json, one list of tasks, or one for each tag. A task has subtasks, which become steps of its card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from pipeline.imports import markdown
from pipeline.imports.protocol import Foreign, Foreigners, ForeignTask, ImportRequest, refusal
from pipeline.imports.reading import MAX_SOURCE, source_bytes, text_of, texts_of
from schemas.errors import Place, RefusedError
from schemas.imported import ImportRefusal
from store.yamlio import load_json

_DONE: Final = frozenset({"done", "completed"})


class TaskMaster:
    """`.taskmaster/tasks/tasks.json`. With several tags an id is `tag/1`, as two tags count alike."""

    kind: ClassVar[str] = "task-master"
    tool: ClassVar[str] = "task-master"
    takes: ClassVar[str] = "tasks.json"
    by_columns: ClassVar[bool] = False

    def read(self, request: ImportRequest) -> Foreigners:
        """Every task of every tag. Raises RefusedError for a file that holds no tasks."""
        data = load_json(source_bytes(request), request.shown, limit=MAX_SOURCE)
        lists = dict(_lists(data))
        if not lists:
            raise RefusedError(
                "no-tasks",
                "this file holds no list of tasks",
                where=Place(request.shown),
                fix="name task-master's tasks.json",
            )
        items: list[Foreign] = []
        refused: list[ImportRefusal] = []
        for tag, tasks in lists.items():
            reader = _Tag(f"{tag}/" if len(lists) > 1 else "", request.shown)
            for number, task in enumerate(tasks):
                found = reader.task(task, f"tasks[{number}]")
                (items if isinstance(found, Foreign) else refused).append(found)  # type: ignore[arg-type]
            refused += reader.refused
        return Foreigners(tuple(items), tuple(refused))


def _lists(data: Any) -> Iterator[tuple[str, list[Any]]]:
    """The lists of tasks by tag: the one of an older file, else that of each tag."""
    if not isinstance(data, dict):
        return
    if isinstance(data.get("tasks"), list):
        yield "", data["tasks"]
        return
    for tag, held in data.items():
        if isinstance(held, dict) and isinstance(held.get("tasks"), list):
            yield tag, held["tasks"]


class _Tag:
    """The tasks of one tag. `refused` collects what is wrong inside of tasks that are taken."""

    def __init__(self, prefix: str, source: str) -> None:
        self._prefix = prefix
        self._place = Place(source)
        self.refused: list[ImportRefusal] = []

    def task(self, task: Any, path: str) -> Foreign | ImportRefusal:
        if not isinstance(task, dict):
            return refusal("unreadable", f"{self._prefix}{path} is no task", self._place)
        task_id = text_of(task.get("id"))
        if not task_id:
            return refusal("no-id", f"{self._prefix}{path} has no id", self._place, fix="give it one there")
        own = self._prefix + task_id
        subtasks = [one for one in _listed(task.get("subtasks")) if isinstance(one, dict)]
        waits_for = [self._prefix + name for name in texts_of(task.get("dependencies"))]
        waits_for += self._of_subtasks(own, task_id, subtasks)
        return Foreign(
            id=own,
            where=self._place,
            title=text_of(task.get("title")),
            status=text_of(task.get("status")),
            notes="\n\n".join(_notes(task, subtasks)),
            lines=markdown.lines(text_of(task.get("testStrategy"))),
            subtasks=tuple(_step(one) for one in subtasks if text_of(one.get("title"))),
            waits_for=tuple(dict.fromkeys(waits_for)),
            facts={key: text_of(task[key]) for key in ("priority",) if text_of(task.get(key))},
        )

    def _of_subtasks(self, own: str, task_id: str, subtasks: list[dict[str, Any]]) -> Iterator[str]:
        """A subtask that waits for one of another task lets its task wait for that one.

        `1.2` names a subtask of a task, `2` one of the same task. The steps of a card are a list: that one waits for an earlier one is
        what their order says, for a later one nothing does.
        """
        order = {text_of(subtask.get("id")): number for number, subtask in enumerate(subtasks)}
        for number, subtask in enumerate(subtasks):
            for name in texts_of(subtask.get("dependencies")):
                task, dot, step = name.partition(".")
                if dot and task != task_id:
                    yield self._prefix + task
                elif order.get(step or task, number) >= number:
                    message = f"{own}: step {number + 1} waits for {name}, which does not come before it"
                    self.refused.append(refusal("subtask-edge", message, self._place, theirs=own))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _step(subtask: dict[str, Any]) -> ForeignTask:
    text = " ".join(text_of(subtask.get("title")).split())
    return ForeignTask(text, done=text_of(subtask.get("status")).casefold() in _DONE)


def _notes(task: dict[str, Any], subtasks: list[dict[str, Any]]) -> Iterator[str]:
    yield from filter(None, (text_of(task.get("description")), text_of(task.get("details"))))
    for number, subtask in enumerate(subtasks, 1):
        told = [text_of(subtask.get(key)) for key in ("description", "details", "testStrategy")]
        if any(told):
            yield f"S{number} {text_of(subtask.get('title'))}\n\n" + "\n\n".join(filter(None, told))
