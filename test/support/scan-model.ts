/** What the specification says of scans, in the plainest words: the service must agree with it. */

export interface ModelGate {
  scanMode: 0 | 1;
  place: string;
  /** Templates that it is for; null: all. */
  templates: string[] | null;
  incrementStoredValue: boolean;
  preventNegativeNumericValues: boolean;
  preventNegativeStoredValueBalance: boolean;
  scans: number;
}

export interface ModelPass {
  templateId: string;
  eligibleValidationPlaces: string[];
  voided: boolean;
  redeemed: boolean;
  storedValue: number | null;
  usedAt: Set<string>;
  wasUsed: boolean;
  events: string[];
}

export interface ModelScan {
  scanStatus?: number;
  setVoided?: boolean;
  storedValue?: number;
}

const isBound = (gate: ModelGate, pass: ModelPass) => gate.place !== '' && pass.eligibleValidationPlaces.length > 0;

/** Whether a pass that is not voided is good at a gate. */
function isGood(gate: ModelGate, pass: ModelPass): boolean {
  if (!isBound(gate, pass)) return true;
  return pass.eligibleValidationPlaces.includes(gate.place) && !pass.usedAt.has(gate.place);
}

const isFor = (gate: ModelGate, pass: ModelPass | undefined): pass is ModelPass =>
  pass !== undefined && (gate.templates === null || gate.templates.includes(pass.templateId));

/** Applies a scan; returns its status, or that it is refused and nothing happened. */
export function scanModel(gate: ModelGate, named: ModelPass | undefined, scan: ModelScan): number | 'refused' {
  const { scanStatus, setVoided = false, storedValue } = scan;
  if (gate.preventNegativeNumericValues && storedValue !== undefined && storedValue < 0) return 'refused';
  if (!isFor(gate, named)) {
    gate.scans++;
    return scanStatus ?? 3;
  }
  if (scanStatus === undefined && (named.voided || !isGood(gate, named))) {
    gate.scans++;
    named.events.push('app_scan_created');
    return 1;
  }
  let value = named.storedValue;
  if (storedValue !== undefined) {
    value = gate.incrementStoredValue ? (value ?? 0) + storedValue : storedValue;
    if (gate.preventNegativeStoredValueBalance && value < 0) return 'refused';
  }
  gate.scans++;
  named.events.push('app_scan_created');
  const voids = !named.voided && (setVoided || (scanStatus === undefined && gate.scanMode === 0));
  if (voids) {
    named.voided = true;
    named.redeemed = true;
    named.events.push('pass_voided');
  }
  if (value !== named.storedValue) {
    named.storedValue = value;
    named.events.push('pass_updated');
  }
  const status = scanStatus ?? (gate.scanMode === 0 ? 0 : 2);
  if (status === 0 || status === 2) {
    named.wasUsed = true;
    if (gate.place !== '') named.usedAt.add(gate.place);
  }
  return status;
}

/** `voided` and `redeemed` of a pass that is read with the gate's identifier. */
export function flagsAt(gate: ModelGate, pass: ModelPass): [boolean, boolean] {
  if (isFor(gate, pass) && isGood(gate, pass)) return [pass.voided, pass.redeemed];
  return [true, true];
}
