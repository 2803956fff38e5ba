import { type Scanner, type ScannerConfiguration, SUSPENDED_STATUS } from '../protocol.ts';
import { BarcodeReader, type Sighting } from './camera/barcode-reader.ts';
import { Camera } from './camera/camera.ts';
import { playTone, unlockSound, vibrate } from './feedback/signals.ts';
import { listenToWedge } from './inputs/listen-to-wedge.ts';
import { boot, word } from './page/boot.ts';
import { element } from './page/elements.ts';
import { keepOffline, sendLater } from './page/keep-offline.ts';
import { Line } from './page/line.ts';
import { makeScan, type Scanned } from './page/make-scan.ts';
import { readPreferences } from './page/preferences.ts';
import { stayAwake } from './page/stay-awake.ts';
import { flush, onChangeElsewhere } from './queue/scan-queue.ts';
import { forgetSettledBefore, scansInState, scansSince } from './queue/scan-store.ts';
import { type Answer, isToRepeat } from './queue/send-scan.ts';
import { count, showCounters, startOfDay } from './views/counters-view.ts';
import { prepareHistory, refreshHistory } from './views/history-view.ts';
import { judge } from './views/judge.ts';
import { prepareLock, showLocked } from './views/lock-view.ts';
import { askProperties } from './views/properties-form.ts';
import { isFresh, showResult, whenSeen } from './views/result-view.ts';
import { prepareSettings, showChoices } from './views/settings-view.ts';
import type { Verdict } from './views/verdict.ts';

/* The scanner app: connects camera, keyboard, NFC, scan queue and views. */

/** How long settled scans stay on the device. */
const KEPT_DAYS = 7;

const preferences = readPreferences(boot.base);
let configuration: ScannerConfiguration | undefined;
/** Number of codes in progress. They are processed one after the other. */
let codes = 0;
let turn: Promise<unknown> = Promise.resolve();

const camera = new Camera(element<HTMLVideoElement>('video'));
const reader = new BarcodeReader(
  element<HTMLVideoElement>('video'),
  boot.files.decoder,
  (sighting) => take(sighting.value, sighting),
  isWelcome,
  () => showCameraFault(word('unreadable')),
);
const line = new Line(() => void catchUp());
const settings = { preferences, camera, onNfc: take, onCamera, onConfiguration: renew };

/** Returns whether the camera may scan: the last code is settled, and no panel is open. */
function isWelcome(): boolean {
  return codes === 0 && !isFresh() && !document.querySelector('dialog[open]:not(#result)');
}

/** Queues a code. It is processed after the previous results have been seen; no code is dropped. */
function take(value: string, sighting?: Sighting): void {
  codes += 1;
  turn = turn
    .then(whenSeen)
    .then(() => scan(value, sighting))
    .finally(() => {
      codes -= 1;
    });
  // The browser reports an error, and the next code continues.
  turn = turn.catch(reportError);
}

/** Processes a scan from the code to the colored screen. */
async function scan(value: string, sighting?: Sighting): Promise<void> {
  const current = configuration;
  if (!current) return;
  const startedAt = performance.now();
  const entered = await askProperties(current, value);
  if (!entered) return;
  const askedAt = performance.now();
  const scanned = await makeScan(current, value, entered, preferences.device, (kind) => void afterLate(kind));
  if (scanned.answerKind === 'locked') showLocked(true);
  else if (scanned.answerKind === 'gone' || scanned.answerKind === 'suspended') showClosed(scanned.answerKind);
  else show(await judge(scanned, current), current);
  measure(sighting?.frameAt ?? startedAt, startedAt, askedAt);
  count(scanned.scan);
  showCounters();
  await afterScan(scanned);
}

function show(verdict: Verdict, { confirmationSeconds }: ScannerConfiguration): void {
  showResult(verdict, confirmationSeconds);
  if (preferences.sound) playTone(verdict.tone);
  if (preferences.vibration) vibrate(verdict.tone);
}

/** Adds User Timing entries: from frame to code, from code to answer, and from frame to colored screen. */
function measure(frameAt: number, readAt: number, askedAt: number): void {
  const answeredAt = performance.now();
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    // A message posted in the frame arrives after the frame was drawn.
    channel.port1.onmessage = () => {
      const drawnAt = performance.now();
      performance.measure('scan decode', { start: frameAt, end: readAt });
      performance.measure('scan answer', { start: askedAt, end: answeredAt });
      performance.measure('scan screen', { start: frameAt, end: drawnAt });
      channel.port1.close();
    };
    channel.port2.postMessage(undefined);
  });
}

async function afterScan({ scan: { state }, answerKind, isSettled }: Scanned): Promise<void> {
  await isSettled;
  line.report(answerKind !== undefined && !isToRepeat(answerKind));
  await showWaiting();
  if (state === 'waiting') await sendLater();
}

async function afterLate(answerKind: Answer['kind']): Promise<void> {
  line.report(!isToRepeat(answerKind));
  await showStored();
}

/** Sends waiting scans. Without any, checks whether the service can be reached. */
async function catchUp(): Promise<void> {
  const { left, obstacles, answered, isToRepeat: again } = await flush();
  if (obstacles.has('locked')) await renew();
  if (answered > 0 || left > 0) {
    line.report(!again);
    await showStored();
  } else {
    await renew();
  }
}

/** Reloads the configuration, which may have changed or expired. */
async function renew(id = configuration?.id ?? preferences.configurationId ?? ''): Promise<boolean> {
  try {
    const response = await fetch(`${boot.base}/configuration?configurationId=${id}`);
    line.report(response.status < 500);
    if (response.status === 404 && id === configuration?.id) showClosed('gone');
    if (response.status === SUSPENDED_STATUS) showClosed('suspended');
    if (!response.ok) return false;
    open((await response.json()) as Scanner);
    return true;
  } catch {
    line.report(false);
    return false;
  }
}

/** Shows what the link opens. */
function open(scanner: Scanner): void {
  boot.scanner = scanner;
  showLocked(scanner.state === 'locked');
  const { name, place, colors } = scanner.state === 'open' ? scanner.configuration : scanner;
  element('scanner-name').textContent = name;
  element('scanner-place').textContent = place;
  document.title = name;
  const { style } = document.documentElement;
  style.setProperty('--scanner', colors.background);
  style.setProperty('--scanner-text', colors.text);
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', colors.background);
  if (scanner.state === 'locked') {
    closeCamera();
    return;
  }
  configuration = scanner.configuration;
  showChoices(settings, configuration.id);
}

/** Updates the counters, the list and the waiting scans from the store. */
async function showStored(): Promise<void> {
  for (const stored of await scansSince(boot.base, startOfDay())) count(stored);
  showCounters();
  await Promise.all([showWaiting(), refreshHistory()]);
}

async function showWaiting(): Promise<void> {
  const count = (await scansInState('waiting')).filter(({ base }) => base === boot.base).length;
  element('waiting-banner').hidden = count === 0;
  element('waiting-count').textContent = count === 1 ? word('waitingOne') : word('waiting', { count });
}

async function openCamera(): Promise<void> {
  const problem = await camera.start(preferences.cameraId ?? undefined);
  // The chosen camera no longer exists.
  if (problem === 'missing' && preferences.cameraId) {
    preferences.cameraId = null;
    return openCamera();
  }
  if (problem) {
    showCameraFault(word(problem));
    return;
  }
  if (!camera.isRunning) return;
  element('finder').dataset.camera = 'on';
  element('torch').hidden = !camera.hasTorch;
  reader.resume();
  await stayAwake();
}

function closeCamera(): void {
  reader.pause();
  camera.stop();
  element('finder').dataset.camera = 'off';
  element('torch').hidden = true;
  element('torch').setAttribute('aria-pressed', 'false');
}

function showCameraFault(text: string): void {
  closeCamera();
  element('camera-fault').textContent = text;
  element('start-label').textContent = word('tryAgain');
  element('start-text').hidden = true;
}

/** Shows that the link or its configuration was deleted, or the account suspended. Waiting scans stay on the device. */
function showClosed(why: 'gone' | 'suspended'): void {
  showCameraFault(`${word(`${why}Title`)}. ${word(`${why}Text`)}`);
}

function onCamera(deviceId: string): void {
  preferences.cameraId = deviceId;
  void openCamera();
}

function listen(): void {
  element('start').addEventListener('click', () => {
    unlockSound();
    void openCamera();
  });
  document.addEventListener('pointerdown', unlockSound, { once: true });
  element('torch').addEventListener('click', async () => {
    const torch = element('torch');
    const on = torch.getAttribute('aria-pressed') !== 'true';
    await camera.setTorch(on);
    torch.setAttribute('aria-pressed', String(on));
  });
  const dialog = element<HTMLDialogElement>('type-dialog');
  const typed = element<HTMLInputElement>('typed');
  element('open-type').addEventListener('click', () => {
    typed.value = '';
    dialog.showModal();
    typed.focus();
  });
  element('type-form').addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close();
    take(typed.value.trim());
  });
  listenToWedge(take);
  // A phone in a pocket needs no camera. It starts again when the page is visible.
  let wasRunning = false;
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      wasRunning = camera.isRunning;
      closeCamera();
    } else if (wasRunning) void openCamera();
  });
}

async function keepFiles(): Promise<void> {
  await keepOffline(boot.base, boot.files.serviceWorker, boot.files.all).catch(() => {
    // Offline, the stored files are used. They are updated at the next start with a connection.
  });
}

async function start(): Promise<void> {
  listen();
  prepareSettings(settings);
  prepareLock((scanner) => {
    open(scanner);
    void keepFiles();
    void catchUp();
  });
  prepareHistory({
    where: () => configuration ?? { name: '', place: '' },
    configurationId: () => configuration?.id ?? '',
    onChange: (stored) => {
      count(stored);
      showCounters();
    },
  });
  onChangeElsewhere(() => void showStored());
  open(boot.scanner);
  const wanted = preferences.configurationId;
  if (boot.scanner.state === 'open' && wanted && wanted !== configuration?.id) await renew(wanted);
  await showStored();
  // If the camera is already allowed, it starts without a tap.
  const permission = await navigator.permissions?.query({ name: 'camera' as PermissionName }).catch(() => undefined);
  if (permission?.state === 'granted' && configuration) void openCamera();
  // A cached page may be out of date, and a returning device may have scans to send.
  if (navigator.serviceWorker?.controller || (await scansInState('waiting')).length > 0) void catchUp();
  await keepFiles();
  await forgetSettledBefore(Date.now() - KEPT_DAYS * 24 * 60 * 60_000).catch(() => {
    // A browser without storage has nothing to delete.
  });
}

void start();
