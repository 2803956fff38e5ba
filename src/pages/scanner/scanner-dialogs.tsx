import type { Child } from 'hono/jsx';
import type { ScannerWords } from './words/en.ts';

/*
 * All icons are drawn on a grid of 24 × 24 in the color of the surrounding text. The page contains each once; `Icon`
 * and the script refer to it by name.
 */

const PATHS = {
  good: 'M12 1.5a10.5 10.5 0 1 1 0 21 10.5 10.5 0 0 1 0-21Zm5.3 6.2-6.9 6.9-3.1-3.1-2 2 5.1 5.1 8.9-8.9Z',
  warning: 'M12 1.8 23.3 21.5H.7Zm-1.4 7 .4 6.4h2l.4-6.4Zm1.4 7.7a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z',
  bad: 'M7.7 1.5h8.6l6.2 6.2v8.6l-6.2 6.2H7.7l-6.2-6.2V7.7Zm.9 5.1-2 2 3.4 3.4-3.4 3.4 2 2 3.4-3.4 3.4 3.4 2-2-3.4-3.4 3.4-3.4-2-2-3.4 3.4Z',
  open: 'M5.5 1.5h13v2.3h-1.2v2.4c0 2.1-1.2 4-3 4.9l-1.7.9 1.7.9c1.8.9 3 2.8 3 4.9v2.4h1.2v2.3h-13v-2.3h1.2v-2.4c0-2.1 1.2-4 3-4.9l1.7-.9-1.7-.9c-1.8-.9-3-2.8-3-4.9V3.8H5.5Zm3.5 2.3v2.4c0 .9.4 1.7 1 2.3h4c.6-.6 1-1.4 1-2.3V3.8Zm3 9.7-1 .6c-1.2.6-2 1.9-2 3.2l3-1.6 3 1.6c0-1.3-.8-2.6-2-3.2Z',
  torch:
    'M7 2h10v3H7Zm0 4.5h10V8l-2.5 4v8.5a1.5 1.5 0 0 1-1.5 1.5h-2a1.5 1.5 0 0 1-1.5-1.5V12L7 8Zm5 6.5a1.25 1.25 0 1 0 0 2.5 1.25 1.25 0 0 0 0-2.5Z',
  keyboard:
    'M3.5 5h17A1.5 1.5 0 0 1 22 6.5v11a1.5 1.5 0 0 1-1.5 1.5h-17A1.5 1.5 0 0 1 2 17.5v-11A1.5 1.5 0 0 1 3.5 5ZM5 8v2h2V8Zm4 0v2h2V8Zm4 0v2h2V8Zm4 0v2h2V8ZM5 11.5v2h2v-2Zm4 0v2h2v-2Zm4 0v2h2v-2Zm4 0v2h2v-2ZM7.5 15v1.5h9V15Z',
  list: 'M3 5h3v3H3Zm5.5.500H21v2H8.5ZM3 10.5h3v3H3Zm5.5.500H21v2H8.5ZM3 16h3v3H3Zm5.5.500H21v2H8.5Z',
  settings:
    'M4 6h8.2a3 3 0 0 1 5.6 0H20v2h-2.2a3 3 0 0 1-5.6 0H4Zm11 0a1 1 0 1 0 0 2 1 1 0 0 0 0-2ZM4 16h2.2a3 3 0 0 1 5.6 0H20v2h-8.2a3 3 0 0 1-5.6 0H4Zm5 0a1 1 0 1 0 0 2 1 1 0 0 0 0-2Z',
  close: 'm5.6 4.2 6.4 6.4 6.4-6.4 1.4 1.4-6.4 6.4 6.4 6.4-1.4 1.4-6.4-6.4-6.4 6.4-1.4-1.4 6.4-6.4-6.4-6.4Z',
  camera:
    'M9 4h6l1.5 2.5h3A2.5 2.5 0 0 1 22 9v8.5a2.5 2.5 0 0 1-2.5 2.5h-15A2.5 2.5 0 0 1 2 17.5V9a2.5 2.5 0 0 1 2.5-2.5h3Zm3 4.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Zm0 2a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Z',
  undo: 'M9 4v4h5.5a5.5 5.5 0 0 1 0 11H7v-2h7.5a3.5 3.5 0 0 0 0-7H9v4L3.5 9Z',
  lock: 'M12 2a5 5 0 0 1 5 5v2.5h.5A1.5 1.5 0 0 1 19 11v9.5a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 20.5V11a1.5 1.5 0 0 1 1.5-1.5H7V7a5 5 0 0 1 5-5Zm0 2a3 3 0 0 0-3 3v2.5h6V7a3 3 0 0 0-3-3Zm0 9.5a1.5 1.5 0 0 0-.7 2.8V18.5h1.4v-2.2a1.5 1.5 0 0 0-.7-2.8Z',
};

type IconName = keyof typeof PATHS;

/** All icons, hidden. */
export function IconSheet() {
  return (
    <svg class="icon-sheet" aria-hidden="true" focusable="false">
      {Object.entries(PATHS).map(([name, path]) => (
        <symbol id={`icon-${name}`} viewBox="0 0 24 24">
          <path d={path} fill="currentColor" fill-rule="evenodd" />
        </symbol>
      ))}
    </svg>
  );
}

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true" focusable="false">
      <use href={`#icon-${name}`} />
    </svg>
  );
}

interface Words {
  words: ScannerWords;
}

/** The whole screen in one color, with an icon and a word that match it. */
export function ResultDialog({ words }: Words) {
  return (
    <dialog
      class="result"
      id="result"
      aria-labelledby="result-word"
      aria-describedby="result-name result-pass result-text result-value result-new"
    >
      <div class="result-body" aria-live="assertive">
        <svg class="result-icon" aria-hidden="true" focusable="false">
          <use id="result-icon" href="#icon-good" />
        </svg>
        <h2 id="result-word">{words.valid}</h2>
        <p class="result-name" id="result-name" />
        <p class="result-pass" id="result-pass" />
        <p class="result-text" id="result-text" />
        <p class="result-value" id="result-value" />
        <p class="result-new" id="result-new" hidden>
          <span class="result-new-label">{words.newValue}</span>{' '}
          <strong class="result-new-value" id="result-new-value" />
        </p>
      </div>
      <button type="button" class="result-next" id="result-next">
        {words.next}
        <span class="result-time" id="result-time" aria-hidden="true" />
      </button>
    </dialog>
  );
}

/** A panel at the bottom of a phone's screen. */
function Sheet({ id, title, words, children }: Words & { id: string; title: string; children: Child }) {
  return (
    <dialog class="sheet" id={id} aria-labelledby={`${id}-title`}>
      <header class="sheet-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <form method="dialog">
          <button type="submit" class="icon-button" aria-label={words.close}>
            <Icon name="close" />
          </button>
        </form>
      </header>
      {children}
    </dialog>
  );
}

export function TypeDialog({ words }: Words) {
  return (
    <Sheet id="type-dialog" title={words.typeTitle} words={words}>
      <form id="type-form" class="fields">
        <label for="typed">{words.typeLabel}</label>
        <input
          id="typed"
          name="value"
          autocomplete="off"
          autocapitalize="off"
          autocorrect="off"
          spellcheck={false}
          enterkeyhint="go"
          required
        />
        <button type="submit" class="button">
          {words.check}
        </button>
      </form>
    </Sheet>
  );
}

/** Asks the configuration's questions. The script adds a field for each. */
export function PropertiesDialog({ words }: Words) {
  return (
    <Sheet id="properties" title={words.propertiesTitle} words={words}>
      <p class="quiet code" id="properties-value" />
      <form id="properties-form" class="fields" novalidate>
        <div class="fields" id="properties-fields" />
        <p class="fault" id="properties-fault" role="alert" />
        <button type="submit" class="button">
          {words.save}
        </button>
      </form>
    </Sheet>
  );
}

export function HistoryDialog({ words }: Words) {
  return (
    <Sheet id="history" title={words.lastScans} words={words}>
      <div class="sheet-scroll">
        <section class="conflicts" id="conflicts" aria-labelledby="conflicts-title" hidden>
          <h3 id="conflicts-title">{words.conflictsTitle}</h3>
          <p class="quiet">{words.conflictsText}</p>
          <ul class="scans" id="conflict-list" />
          <button type="button" class="button" id="acknowledge">
            {words.understood}
          </button>
        </section>
        <fieldset class="switch">
          <legend class="hidden">{words.lastScans}</legend>
          <label>
            <input type="radio" name="whose" value="own" checked />
            <span>{words.thisDevice}</span>
          </label>
          <label>
            <input type="radio" name="whose" value="all" />
            <span>{words.allDevices}</span>
          </label>
        </fieldset>
        <p class="fault" id="history-fault" role="alert" />
        <ul class="scans" id="scans" />
        <p class="quiet" id="no-scans" hidden>
          {words.noScans}
        </p>
      </div>
    </Sheet>
  );
}

export function SettingsDialog({ words }: Words) {
  return (
    <Sheet id="settings" title={words.settings} words={words}>
      <div class="sheet-scroll fields">
        <div class="fields" id="choose-configuration" hidden>
          <label for="configuration">{words.configuration}</label>
          <select id="configuration" />
        </div>
        <Toggle id="sound" name={words.sound} />
        <Toggle id="vibration" name={words.vibration} />
        <Toggle id="nfc" name={words.nfc} />
        <p class="quiet" id="nfc-text" role="status" hidden />
        <label for="device">{words.device}</label>
        <input id="device" name="device" autocomplete="off" maxlength={100} aria-describedby="device-hint" />
        <p class="quiet" id="device-hint">
          {words.deviceHint}
        </p>
        <button type="button" class="button quiet-button" id="next-camera" hidden>
          <Icon name="camera" />
          {words.camera}
        </button>
        <button type="button" class="button quiet-button" id="install" hidden>
          {words.install}
        </button>
        <p class="quiet" id="install-hint">
          {words.installHint}
        </p>
      </div>
    </Sheet>
  );
}

function Toggle({ id, name }: { id: string; name: string }) {
  return (
    <label class="toggle" id={`${id}-row`}>
      <span>{name}</span>
      <input type="checkbox" id={id} />
    </label>
  );
}
