"""The best marks so far, as a table: of one chapter's exercises, or of every chapter."""

from rowwise import exercises, progress
from rowwise.study.help import opened
from rowwise.study.shown import Shown, paragraphs, table, together


def progress_table(chapter: str | None = None) -> Shown:
    """The best marks kept on this machine: a row an exercise of ``chapter``, or a row a chapter."""
    best = progress.best()
    if chapter:
        shown = table(f"Best marks of {chapter}", ("exercise", "best mark", "tries", "note"), _exercises(chapter, best))
    else:
        shown = table("Best marks so far", ("chapter", "best marks", "exercises tried"), _chapters(best))
    return together(shown, paragraphs([_where_kept()]))


def _exercises(chapter: str, best: dict):
    rows = []
    for exercise in exercises.of_chapter(chapter):
        mark = best.get(exercise.name)
        day = opened(exercise.name)
        rows.append(
            (
                exercise.name,
                f"{mark.earned:g} of {mark.points:g}" if mark else f"– of {exercise.points:g}",
                str(mark.tries) if mark else "0",
                f"solution opened on {day}" if day else "",
            )
        )
    return rows


def _chapters(best: dict):
    chapters: dict[str, list] = {}
    for exercise in exercises.ALL.values():
        chapters.setdefault(exercise.chapter, []).append(exercise)
    rows = []
    for chapter, members in chapters.items():
        tried = [best[exercise.name] for exercise in members if exercise.name in best]
        of = sum(exercise.points for exercise in members)
        rows.append((chapter, f"{sum(b.earned for b in tried):g} of {of:g}", f"{len(tried)} of {len(members)}"))
    return rows


def _where_kept() -> str:
    return (
        f"Kept in {progress.where()} and nowhere else. Written answers are not in it: a person marks them. "
        "`progress.forget()` deletes it, predictions included."
    )
