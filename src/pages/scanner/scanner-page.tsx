import { raw } from 'hono/html';
import { Layout } from '../layout.tsx';
import type { ScannerBoot } from './protocol.ts';
import {
  HistoryDialog,
  Icon,
  IconSheet,
  PropertiesDialog,
  ResultDialog,
  SettingsDialog,
  TypeDialog,
} from './scanner-dialogs.tsx';
import type { ScannerWords } from './words/en.ts';

interface ScannerPageProps {
  boot: ScannerBoot;
  words: ScannerWords;
  /** Address of the app's script. */
  script: string;
  icons: { touch: string; small: string };
}

/** The app that scans passes at a door. The server draws all views; the script shows and fills them. */
export function ScannerPage({ boot, words, script, icons }: ScannerPageProps) {
  const { name, place, colors } = boot.scanner.state === 'open' ? boot.scanner.configuration : boot.scanner;
  const head = (
    <>
      <meta name="theme-color" content={colors.background} />
      <meta name="mobile-web-app-capable" content="yes" />
      <meta name="apple-mobile-web-app-title" content={name} />
      <link rel="manifest" href={`${boot.base}/manifest.webmanifest`} />
      <link rel="apple-touch-icon" href={icons.touch} />
      <script type="application/json" id="boot">
        {raw(scriptJson(boot))}
      </script>
      <script type="module" src={script} />
    </>
  );
  return (
    <Layout language={words.lang} title={name} stylesheet="scanner/styles.css" icon={icons.small} head={head}>
      <IconSheet />
      <header class="scanner-head">
        <div class="scanner-what">
          <h1 id="scanner-name">{name}</h1>
          <p id="scanner-place">{place}</p>
        </div>
        <p class="line" id="line" role="status">
          <span class="line-dot" />
          <span id="line-text">{words.online}</span>
        </p>
        <button type="button" class="icon-button" id="open-settings" aria-label={words.settings}>
          <Icon name="settings" />
        </button>
      </header>
      <noscript>
        <p class="message">{words.noScript}</p>
      </noscript>
      <Locked words={words} isLocked={boot.scanner.state === 'locked'} />
      <Scanning words={words} isOpen={boot.scanner.state === 'open'} />
      <ResultDialog words={words} />
      <TypeDialog words={words} />
      <PropertiesDialog words={words} />
      <HistoryDialog words={words} />
      <SettingsDialog words={words} />
    </Layout>
  );
}

function Locked({ words, isLocked }: { words: ScannerWords; isLocked: boolean }) {
  return (
    <main class="locked" id="locked" hidden={!isLocked}>
      <form class="panel" id="pin-form">
        <Icon name="lock" />
        <h2>{words.lockedTitle}</h2>
        <p class="quiet">{words.lockedText}</p>
        <label for="pin">{words.pin}</label>
        <input id="pin" name="pin" type="password" autocomplete="off" autocapitalize="characters" required />
        <p class="fault" id="pin-fault" role="alert" />
        <button type="submit" class="button">
          {words.unlock}
        </button>
      </form>
    </main>
  );
}

function Scanning({ words, isOpen }: { words: ScannerWords; isOpen: boolean }) {
  return (
    <main class="scanning" id="scanning" hidden={!isOpen}>
      <p class="banner waiting-banner" id="waiting-banner" role="status" hidden>
        <Icon name="open" />
        <span id="waiting-count" />
      </p>
      <button type="button" class="banner conflict-banner" id="conflict-banner" hidden>
        <Icon name="warning" />
        <span id="conflict-count" />
        <span class="banner-action">{words.show}</span>
      </button>
      <section class="finder" id="finder" data-camera="off" aria-label={words.camera}>
        <video id="video" playsinline muted />
        <div class="frame" aria-hidden="true" />
        <p class="aim" aria-hidden="true">
          {words.aim}
        </p>
        <div class="start-panel" id="start-panel">
          <p class="fault-text" id="camera-fault" role="alert" />
          <button type="button" class="button" id="start">
            <Icon name="camera" />
            <span id="start-label">{words.start}</span>
          </button>
          <p id="start-text">{words.startText}</p>
        </div>
      </section>
      <dl class="counters">
        <Counter id="count-scanned" name={words.scanned} />
        <Counter id="count-refused" name={words.refused} />
        <Counter id="count-minute" name={words.perMinute} />
      </dl>
      <nav class="tools" aria-label={words.appName}>
        <button type="button" id="torch" aria-pressed="false" hidden>
          <Icon name="torch" />
          {words.light}
        </button>
        <button type="button" id="open-type">
          <Icon name="keyboard" />
          {words.typeCode}
        </button>
        <button type="button" id="open-history">
          <Icon name="list" />
          {words.lastScans}
        </button>
      </nav>
    </main>
  );
}

function Counter({ id, name }: { id: string; name: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd id={id}>0</dd>
    </div>
  );
}

/** Returns JSON that is safe in a `<script>`: without `<`, nothing can close it. */
const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
