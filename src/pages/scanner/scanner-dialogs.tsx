import type { Child } from 'hono/jsx';
import { Icon } from './icons.tsx';
import type { ScannerWords } from './scanner-words.ts';

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
