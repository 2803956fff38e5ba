import type { ScannerFailure, ScannerRecentScan } from '../../protocol.ts';
import type { Tone } from '../feedback/signals.ts';
import { boot, timeText, word } from '../page/boot.ts';
import { element, icon, make } from '../page/elements.ts';
import { changeScan, type StoredScan, scansInState, scansSince } from '../queue/scan-store.ts';
import { type Place, reasonWord, verdictOf } from './verdict.ts';

/*
 * The latest scans, of this device or of all devices with the link, and the scans whose result differs from what was
 * shown.
 */

/** Number of rows shown initially, and added by the button below them. */
const ROWS_PAGE = 50;
const HISTORY_DAYS = 2;

const dialog = element<HTMLDialogElement>('history');
const list = element('scans');
const fault = element('history-fault');

interface Row {
  scanId: string | undefined;
  clientId: string | null;
  tone: Tone;
  title: string;
  details: string;
  isUndone: boolean;
  canUndo: boolean;
}

/** Callbacks of the view. */
interface HistoryHooks {
  where(): Place;
  configurationId(): string;
  /** A stored scan was changed. */
  onChange(scan: StoredScan): void;
}

let hooks: HistoryHooks;

export function prepareHistory(given: HistoryHooks): void {
  hooks = given;
  for (const opener of ['open-history', 'conflict-banner'])
    element(opener).addEventListener('click', () => void open());
  element('acknowledge').addEventListener('click', () => void acknowledge());
  for (const choice of dialog.querySelectorAll('input[name="whose"]')) {
    choice.addEventListener('change', () => void showScans());
  }
}

async function open(): Promise<void> {
  dialog.showModal();
  await Promise.all([showConflicts(), showScans()]);
}

/** Redraws the list if it is open. */
export async function refreshHistory(): Promise<void> {
  await showConflicts();
  if (dialog.open) await showScans();
}

/** Shows the scans whose answer hasn't been seen. They stay until the person confirms them. */
async function showConflicts(): Promise<void> {
  const conflicts = (await scansInState('conflict')).filter(({ base }) => base === boot.base);
  const count = conflicts.length;
  element('conflict-banner').hidden = count === 0;
  element('conflict-count').textContent = count === 1 ? word('conflictsBannerOne') : word('conflictsBanner', { count });
  element('conflicts').hidden = count === 0;
  element('conflict-list').replaceChildren(...conflicts.map(drawConflict));
}

/** The reason is in full, because the person at the door didn't know it. */
function drawConflict(scan: StoredScan): HTMLElement {
  const { text } = verdictOf(scan, hooks.where());
  const item = drawRow({ ...rowOf(scan), canUndo: false });
  item.querySelector('.scan-what')?.append(make('small', { class: 'scan-reason' }, text));
  return item;
}

async function acknowledge(): Promise<void> {
  const conflicts = (await scansInState('conflict')).filter(({ base }) => base === boot.base);
  await Promise.all(conflicts.map(({ id }) => changeScan(id, () => ({ state: 'settled' }))));
  await showConflicts();
}

async function showScans(): Promise<void> {
  fault.textContent = '';
  const whose = dialog.querySelector<HTMLInputElement>('input[name="whose"]:checked')?.value;
  const rows = whose === 'all' ? await rowsOfAll() : await rowsOfDevice();
  list.replaceChildren();
  showMore(rows, 0);
  element('no-scans').hidden = rows.length > 0;
}

function showMore(rows: Row[], from: number): void {
  const page = rows.slice(from, from + ROWS_PAGE);
  list.append(...page.map(drawRow));
  const next = from + page.length;
  if (next >= rows.length) return;
  const item = make(
    'li',
    {},
    make('button', { type: 'button', click: more }, `${word('show')} (${rows.length - next})`),
  );
  function more(): void {
    item.remove();
    showMore(rows, next);
  }
  list.append(item);
}

async function rowsOfDevice(): Promise<Row[]> {
  const since = Date.now() - HISTORY_DAYS * 24 * 60 * 60_000;
  return (await scansSince(boot.base, since)).reverse().map(rowOf);
}

function rowOf(scan: StoredScan): Row {
  const { tone, word: title, holder, pass } = verdictOf(scan, hooks.where());
  return {
    scanId: scan.outcome?.scanId,
    clientId: scan.id,
    tone,
    title: holder || pass || scan.value,
    details: [timeText(scan.scannedAt), scan.isUndone ? word('undone') : title, holder && pass]
      .filter(Boolean)
      .join(' · '),
    isUndone: scan.isUndone,
    canUndo: !scan.isUndone && Date.now() < (scan.outcome?.undoableUntil ?? 0),
  };
}

async function rowsOfAll(): Promise<Row[]> {
  try {
    const response = await fetch(`${boot.base}/scans?configurationId=${hooks.configurationId()}`);
    if (!response.ok) throw new Error(String(response.status));
    return ((await response.json()) as ScannerRecentScan[]).map(rowOfRecent);
  } catch {
    fault.textContent = word('allDevicesOffline');
    return [];
  }
}

const TONES: Record<number, Tone> = { 0: 'good', 1: 'warning', 2: 'good', 3: 'bad' };

function rowOfRecent(recent: ScannerRecentScan): Row {
  const { scanId, clientId, status, validityReason, passName, value, deviceName, scannedAt, canUndo } = recent;
  return {
    scanId,
    clientId,
    tone: TONES[status] ?? 'open',
    title: passName ?? value ?? word('unknown'),
    details: [timeText(scannedAt), validityReason && reasonWord(validityReason), deviceName]
      .filter(Boolean)
      .join(' · '),
    isUndone: false,
    canUndo,
  };
}

function drawRow(row: Row): HTMLElement {
  const { scanId, tone, title, details, isUndone, canUndo } = row;
  const what = make('div', { class: 'scan-what' }, make('b', {}, title), make('small', {}, details));
  // A green check beside an undone scan could let someone in.
  const mark = isUndone ? icon('undo', 'icon quiet') : icon(tone, `icon tone-${tone}`);
  const item = make('li', { 'data-undone': isUndone }, mark, what);
  if (canUndo && scanId) {
    const label = `${word('undo')}: ${title}`;
    const undoIt = () => void undo(scanId, row.clientId);
    item.append(make('button', { type: 'button', 'aria-label': label, click: undoIt }, icon('undo'), word('undo')));
  }
  return item;
}

async function undo(scanId: string, clientId: string | null): Promise<void> {
  fault.textContent = '';
  try {
    const response = await fetch(`${boot.base}/scans/${scanId}/undo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    if (!response.ok) throw new Error(((await response.json()) as ScannerFailure).error);
    const changed = clientId === null ? undefined : await changeScan(clientId, () => ({ isUndone: true }));
    if (changed) hooks.onChange(changed);
    await showScans();
  } catch {
    fault.textContent = word('undoFailed');
  }
}
