"""The batch jobs of both faces, kept in memory: what was sent in, how it stands, the lines of the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Literal

from servers.faces import Face, error_body
from servers.outcomes import Raw, Status, Unfinished

BatchEnd = Literal["waiting", "ended", "failed", "expired", "cancelled"]
Answered = dict[str, Any] | Status | Unfinished
"""The body of an answer, an error, or nothing."""
Work = Callable[[Face, dict[str, Any]], Answered]

_CREATED = "2026-12-01T09:00:00Z"
_CREATED_S = 1_796_115_600


@dataclass
class Job:
    """One batch. `entries` are custom id and body of each request."""

    id: str
    face: Face
    entries: list[tuple[str, dict[str, Any]]]
    input_file: str = ""
    answers: dict[str, Answered] | None = None


@dataclass
class Jobs:
    """All batches and files of a server. `end` says where every batch stands; a test changes it between two requests."""

    work: Work
    end: BatchEnd = "waiting"
    jobs: dict[str, Job] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)

    def create_anthropic(self, body: Any) -> dict[str, Any] | Status:
        requests = body.get("requests") if isinstance(body, dict) else None
        if not isinstance(requests, list) or not requests:
            return Status(400, message="requests: at least one request is required")
        names = [one["custom_id"] for one in requests]
        if len(set(names)) < len(names) or any(not 1 <= len(name) <= 64 for name in names):
            return Status(400, message="requests: custom_id must be unique and of 1 to 64 characters")
        job = Job(
            f"msgbatch_{len(self.jobs) + 1:06}", "anthropic", [(one["custom_id"], one["params"]) for one in requests]
        )
        self.jobs[job.id] = job
        return self._anthropic(job, "")

    def show_anthropic(self, batch: str, base: str) -> dict[str, Any] | Status:
        job = self.jobs.get(batch)
        return self._anthropic(job, base) if job is not None else Status(404, message=f"batch: {batch}")

    def results_anthropic(self, batch: str) -> Raw | Status:
        job = self.jobs.get(batch)
        if job is None or self.end == "waiting":
            return Status(404, message=f"no results of batch {batch}")
        lines = []
        for number, (name, answer) in enumerate(self._answers(job).items()):
            if isinstance(answer, Status):
                result = {"type": "errored", "error": error_body("anthropic", answer, number)}
            elif isinstance(answer, Unfinished):
                result = {"type": answer.word}
            else:
                result = {"type": "succeeded", "message": answer}
            lines.append({"custom_id": name, "result": result})
        return _lines(lines, "application/x-jsonl")

    def _anthropic(self, job: Job, base: str) -> dict[str, Any]:
        ended = self.end != "waiting"
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        if not ended:
            counts["processing"] = len(job.entries)
        else:
            for answer in self._answers(job).values():
                if isinstance(answer, Unfinished):
                    counts[answer.word] += 1
                else:
                    counts["errored" if isinstance(answer, Status) else "succeeded"] += 1
        return {
            "id": job.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": _CREATED,
            "expires_at": "2026-12-02T09:00:00Z",
            "ended_at": "2026-12-01T10:00:00Z" if ended else None,
            "cancel_initiated_at": None,
            "archived_at": None,
            "results_url": f"{base}/v1/messages/batches/{job.id}/results" if ended else None,
        }

    def upload(self, raw: bytes, content_type: str) -> dict[str, Any] | Status:
        parts = _multipart(raw, content_type)
        if parts.get("purpose", (b"", ""))[0] != b"batch" or "file" not in parts:
            return Status(400, message="a file with purpose batch is required")
        data, name = parts["file"]
        file = f"file-{len(self.files) + 1:06}"
        self.files[file] = data
        return {
            "id": file,
            "object": "file",
            "bytes": len(data),
            "created_at": _CREATED_S,
            "expires_at": None,
            "filename": name,
            "purpose": "batch",
            "status": "processed",
        }

    def content(self, file: str) -> Raw | Status:
        data = self.files.get(file)
        return (
            Raw(data, {"Content-Type": "application/octet-stream"})
            if data is not None
            else Status(404, message=f"No such File object: {file}")
        )

    def create_openai(self, body: Any) -> dict[str, Any] | Status:
        file = body.get("input_file_id") if isinstance(body, dict) else None
        if file not in self.files:
            return Status(400, message=f"No such File object: {file}")
        if body.get("completion_window") != "24h" or body.get("endpoint") != "/v1/chat/completions":
            return Status(400, message="completion_window must be 24h and endpoint one of /v1/chat/completions")
        lines = [json.loads(line) for line in self.files[file].split(b"\n") if line.strip()]
        if any(line["method"] != "POST" or line["url"] != body["endpoint"] for line in lines):
            return Status(400, message="method and url of every line must fit the endpoint")
        job = Job(
            f"batch_{len(self.jobs) + 1:06}", "openai", [(line["custom_id"], line["body"]) for line in lines], file
        )
        self.jobs[job.id] = job
        return self._openai(job)

    def show_openai(self, batch: str) -> dict[str, Any] | Status:
        job = self.jobs.get(batch)
        return self._openai(job) if job is not None else Status(404, message=f"No batch found with id '{batch}'.")

    def _openai(self, job: Job) -> dict[str, Any]:
        status = {"waiting": "in_progress", "ended": "completed"}.get(self.end, self.end)
        done = status in ("completed", "expired", "cancelled")
        answers = self._answers(job) if done else {}
        good = {name: answer for name, answer in answers.items() if not isinstance(answer, Status | Unfinished)}
        output, errors = f"file-output-{job.id}", f"file-errors-{job.id}"
        if good:
            self.files[output] = _lines([_openai_line(name, answer) for name, answer in good.items()]).body
        if len(answers) > len(good):
            bad = [_openai_line(name, answer) for name, answer in answers.items() if name not in good]
            self.files[errors] = _lines(bad).body
        failed = {"object": "list", "data": [{"code": "invalid_json_line", "message": "not JSON", "line": 1}]}
        return {
            "id": job.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "errors": failed if status == "failed" else None,
            "input_file_id": job.input_file,
            "completion_window": "24h",
            "status": status,
            "output_file_id": output if good else None,
            "error_file_id": errors if len(answers) > len(good) else None,
            "created_at": _CREATED_S,
            "request_counts": {
                "total": len(job.entries),
                "completed": len(good),
                "failed": len(answers) - len(good),
            },
            "metadata": None,
        }

    def _answers(self, job: Job) -> dict[str, Answered]:
        """The answers, last request first: neither API promises an order. What an expired batch left over is not done."""
        if job.answers is None:
            job.answers = {}
            for number, (name, body) in enumerate(reversed(job.entries)):
                cut = self.end in ("expired", "cancelled") and number % 2 == 0
                word = "canceled" if self.end == "cancelled" else "expired"
                job.answers[name] = Unfinished(word) if cut else self.work(job.face, body)
        return job.answers


def _openai_line(name: str, answer: Answered) -> dict[str, Any]:
    line: dict[str, Any] = {"id": f"batch_req_{name[:8]}", "custom_id": name, "response": None, "error": None}
    if isinstance(answer, Unfinished):
        told = "This request could not be executed before the completion window expired."
        line["error"] = {"code": "batch_expired", "message": told}
    elif isinstance(answer, Status):
        line["response"] = {
            "status_code": answer.code,
            "request_id": name[:8],
            "body": error_body("openai", answer, 0),
        }
    else:
        line["response"] = {"status_code": 200, "request_id": name[:8], "body": answer}
    return line


def _lines(lines: list[dict[str, Any]], kind: str = "application/octet-stream") -> Raw:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return Raw(text.encode("utf-8", "backslashreplace"), {"Content-Type": kind})


def _multipart(raw: bytes, content_type: str) -> dict[str, tuple[bytes, str]]:
    """The parts of a form by name: bytes and file name."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    form = BytesParser(policy=HTTP).parsebytes(head + raw)
    parts = {}
    for part in form.iter_parts() if form.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(payload, bytes):
            parts[name] = (payload, part.get_filename() or "")
    return parts
