"""The style sheet of the window, written from the colours of a theme.

Widgets choose a look by dynamic properties: `tone` of a label (muted, danger, warning, accent, heading), `kind` of
a button (primary, quiet, danger, link, scale), `role` of a frame (card, user, warning, danger, hair), or by the name of
their class. There is no other sheet: one set on a widget would polish everything below it anew.
"""

from __future__ import annotations

from string import Template

from desktop_app.ui.palette import Tokens

_SHEET = Template("""
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 4px 6px; }
QLabel { background: transparent; }
QLabel[tone="muted"] { color: $muted; }
QLabel[tone="danger"] { color: $danger; }
QLabel[tone="warning"] { color: $warning; }
QLabel[tone="accent"] { color: $accent; }
QLabel[tone="good"] { color: $good; }
QLabel[tone="heading"] { font-weight: 600; }
QLabel[tone="muted-heading"] { color: $muted; font-weight: 600; }
QLabel[tone="tag"] { color: $muted; border: 1px solid $line; border-radius: 4px; padding: 0px 5px; }

QFrame[role="card"] { background: $raised; border: 1px solid $line; border-radius: 8px; }
QFrame[role="user"] { background: $user; border: none; border-radius: 8px; }
QFrame[role="quote"] { background: $code; border: 1px solid $line; border-radius: 7px; }
QFrame[role="warning"] { background: $warning_soft; border: 1px solid $warning_mark; border-radius: 8px; }
QFrame[role="danger"] { background: $danger_soft; border: 1px solid $danger; border-radius: 8px; }
QFrame[role="composer"] { background: $raised; border: 1px solid $line; border-radius: 10px; }
QFrame[role="composer"][focused="true"] { border: 2px solid $accent; }
QFrame[role="chip"] { background: $code; border: 1px solid $line; border-radius: 7px; }
MessageActions[floating="true"] { background: $raised; border: 1px solid $line; border-radius: 7px; }
QFrame[role="hair"] { background: $line; border: none; }
QWidget[surface="true"] { background: $surface; }
QMainWindow { background: $window; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
MainWindow > QTabBar { background: $window; border-bottom: 1px solid $line; }
MainWindow > QTabBar::tab { background: transparent; color: $muted; border: none; border-bottom: 2px solid transparent;
  padding: 9px 10px 8px 10px; margin-left: 4px; }
MainWindow > QTabBar::tab:hover { color: $text; }
MainWindow > QTabBar::tab:selected { color: $text; font-weight: 600; border-bottom: 2px solid $accent; }
MainWindow > QTabBar:focus { border-bottom: 1px solid $accent; }
TopBar { background: $window; border: none; border-bottom: 1px solid $line; }
Sidebar { background: $window; border: none; }
QStatusBar { background: $window; border-top: 1px solid $line; }
QStatusBar::item { border: none; }

QPushButton { background: $raised; color: $text; border: 1px solid $line; border-radius: 6px;
  padding: 4px 12px; min-height: 18px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $line; }
QPushButton:disabled { color: $muted; background: $window; }
QPushButton:focus { border: 2px solid $accent; padding: 3px 11px; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:hover { background: $accent_hover; border-color: $accent_hover; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; }
QPushButton[kind="primary"]:disabled { background: $track; color: $muted; border-color: $track; }
QPushButton[kind="danger"] { color: $danger; }
QPushButton[kind="quiet"], QPushButton[kind="scale"] { background: transparent; border-color: transparent;
  color: $muted; }
QPushButton[kind="quiet"]:hover, QPushButton[kind="scale"]:hover { background: $hover; color: $text; }
QPushButton[kind="quiet"]:focus, QPushButton[kind="scale"]:focus { border: 2px solid $accent; }
QPushButton[kind="link"] { background: transparent; border: 2px solid transparent; border-radius: 4px;
  color: $accent; padding: 0px 2px; min-height: 0px; text-align: left; }
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="link"]:focus { border: 2px solid $accent; }
QPushButton[kind="link"]:disabled { color: $muted; }
QPushButton[kind="example"] { text-align: left; padding: 9px 13px; border-radius: 8px; }
QPushButton[kind="example"]:focus { padding: 8px 12px; }
QPushButton[kind="float"] { border-radius: 13px; padding: 3px 12px; }
QPushButton[kind="float"]:focus { padding: 2px 11px; }
ChoiceButton { padding-right: 26px; }
ChoiceButton:focus { padding-right: 25px; }
ChoiceButton[kind="scale"] { padding: 2px 22px 2px 4px; margin-left: -4px; min-height: 16px; }
ChoiceButton[kind="scale"]:focus { padding: 1px 21px 1px 3px; }

QToolButton { background: transparent; border: 2px solid transparent; border-radius: 6px; padding: 3px; color: $muted; }
QToolButton:hover { background: $hover; color: $text; }
QToolButton:pressed, QToolButton:checked { background: $line; color: $text; }
QToolButton:focus { border-color: $accent; }
QToolButton:disabled { color: $line; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QSpinBox, QPlainTextEdit, QTextEdit, QComboBox { background: $raised; color: $text; border: 1px solid $line;
  border-radius: 6px; padding: 4px 8px; selection-background-color: $highlight; selection-color: $text; }
QLineEdit:focus, QSpinBox:focus, QPlainTextEdit:focus, QTextEdit:focus, QComboBox:focus {
  border: 2px solid $accent; padding: 3px 7px; }
QLineEdit:disabled, QComboBox:disabled { color: $muted; background: $window; }
QComboBox { combobox-popup: 0; }
QComboBox QAbstractItemView::item { min-height: 26px; padding: 0px 8px; }
QComboBox::drop-down { border: none; width: 26px; }
QComboBox::down-arrow { image: none; }
QTextBrowser[flow="true"], QTextBrowser[flow="true"]:focus { background: transparent; border: none; padding: 0px; }
QTextBrowser[flow="true"][muted="true"] { color: $muted; }
QPlainTextEdit[bare="true"], QPlainTextEdit[bare="true"]:focus { background: transparent; border: none; padding: 0px; }
TokenField QLineEdit, TokenField QLineEdit:focus { border: none; padding: 0px 2px; background: transparent; }
TokenField::up-button, TokenField::down-button { subcontrol-origin: border; width: 8px; border: none; }

QRadioButton { spacing: 8px; border: 2px solid transparent; border-radius: 4px; }
QRadioButton:focus { border-color: $accent; }
QRadioButton:disabled { color: $muted; }
QRadioButton::indicator { width: 12px; height: 12px; border: 1px solid $muted; border-radius: 7px;
  background: $raised; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 4px solid $accent; }
QRadioButton::indicator:disabled { border-color: $line; }

QMenu { background: $raised; color: $text; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 18px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selected; color: $text; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: 4px 6px; }

QScrollArea, QAbstractScrollArea { border: none; }
QListView[bare="true"], QTableView[bare="true"] { background: transparent; border: none; }
TextField { border: 1px solid $line; border-radius: 6px; padding: 4px 8px; }
TextField:focus { border: 2px solid $accent; padding: 3px 7px; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar::handle:vertical { background: $line; border-radius: 3px; min-height: 32px; margin: 2px; }
QScrollBar::handle:vertical:hover { background: $muted; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle:horizontal { background: $line; border-radius: 3px; min-width: 32px; margin: 2px; }
QScrollBar::handle:horizontal:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; border: none;
  width: 0; height: 0; }
QSplitter::handle { background: $line; }
""")


def style_sheet(tokens: Tokens) -> str:
    """The sheet for one theme."""
    names = [name for name in Tokens.__slots__ if isinstance(getattr(tokens, name), str)]
    return _SHEET.substitute({name: getattr(tokens, name) for name in names})
