"""`mnemoscope profiles`: the profiles of the data folder."""

from __future__ import annotations

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, table, write, write_json
from desktop_app.cli.sentences import language
from desktop_app.cli.session import make_data_dir
from desktop_app.composition import open_settings
from desktop_app.core.words import Words, load_words
from desktop_app.services.settings import SettingsService


def show(run: RunOptions) -> int:
    """All profiles, the one in use marked."""
    settings, words = _open(run)
    in_use = settings.settings.profile
    if run.as_json:
        write_json(
            [
                {
                    "name": name,
                    "in_use": name == in_use,
                    "model": one.model,
                    "base_url": one.base_url,
                    "memory": one.memory,
                }
                for name, one in ((name, settings.settings.of(name)) for name in settings.profile_names())
            ]
        )
        return 0
    rows = []
    for name in settings.profile_names():
        profile = settings.settings.of(name)
        memory = words.say("cli.profiles.memory_on" if profile.memory else "cli.profiles.memory_off")
        rows.append(("*" if name == in_use else " ", one_line(name, 40), profile.model, memory))
    write(table(rows, "<<<<"))
    return 0


def add(run: RunOptions, name: str) -> int:
    """Makes a profile; raises BadInput for a blank name or one that is taken."""
    settings, words = _open(run)
    added = settings.add_profile(name)
    settings.save()
    return _tell(run, words, "added", added)


def use(run: RunOptions, name: str) -> int:
    """Makes a profile the one in use; raises BadInput for an unknown one."""
    settings, words = _open(run)
    settings.use_profile(name)
    settings.save()
    return _tell(run, words, "used", name)


def _tell(run: RunOptions, words: Words, word: str, name: str) -> int:
    if run.as_json:
        write_json({"profile": name, "done": word})
    else:
        write(words.say(f"cli.profiles.{word}", name=one_line(name)) + "\n")
    return 0


def _open(run: RunOptions) -> tuple[SettingsService, Words]:
    options = run.for_composition()
    make_data_dir(options.data_dir)
    settings = open_settings(options)
    return settings, load_words(language(settings.settings.language))
