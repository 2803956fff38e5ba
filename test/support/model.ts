/*
 * An independent, deliberately simple model of the API's promises about passes: no database, no HTTP, one object per
 * pass. The property-based test compares every reply and every read with it.
 */

/** A body as a caller sends it. */
export type Sent = Record<string, unknown>;
type Value = string | boolean;

export interface ModelProperty {
  id: string;
  name: string;
  type: 'text' | 'select' | 'checkbox';
  default?: string;
  required?: boolean;
  unique?: boolean;
  options?: string[];
}

export interface ModelTemplate {
  id: string;
  name: string;
  properties: ModelProperty[];
  /** Whether its passes are air boarding passes. */
  air: boolean;
  /** Whether it accepts a download PIN, and requires a unique userProvidedId. */
  pin: boolean;
  uniqueNames: boolean;
  maxPasses: number;
  places: string[];
}

/** The part of a pass that callers set. */
export interface Content {
  template: ModelTemplate;
  userProvidedId: string | null;
  barcodeValue: string;
  storedValue: number | null;
  /** `Y-m-d H:i`, as sent. */
  expirationDate: string | null;
  bundleId: string | null;
  downloadPin: string | null;
  /** Absent differs from empty. */
  eligiblePlaces?: string[];
  voided: boolean;
  /** By property ID. */
  properties: Record<string, Value>;
  flight: Sent | null;
  /** Whether it was a flight before its move, which Google can't change. */
  wasFlight?: boolean;
}

/** Values that the service assigns once and never changes, except for `modifiedOn`. */
export interface Identity {
  identifier: string;
  generatedId: string;
  /** Direct link to the pass file. */
  file: string;
  createdOn: string;
  modifiedOn: string;
}

export interface ModelPass {
  identity: Identity;
  content: Content;
}

/** Outcome of a write: a new content, or a 400 whose text names one of `refused`. */
export type Outcome = { content: Content } | { refused: string[] };

export const BUNDLE_PASSES_MAX = 10;
const FLIGHT_REQUIRED = [
  'originAirportCode',
  'destinationAirportCode',
  'localScheduledDepartureTime',
  'localBoardingDateTime',
  'passengerName',
  'carrierCode',
  'confirmationCode',
  'flightNumber',
];
const FLIGHT_FIELDS = [...FLIGHT_REQUIRED, 'seatNumber'];

/** Barcode value of a pass created without one, until the reply tells it. */
export const GENERATED = '(generated)';

/** All passes of an account, oldest first. */
export class Model {
  passes: ModelPass[] = [];
  /** Names of deleted passes. */
  gone: string[] = [];
  /** Download pages seen so far, by bundle or pass. */
  #pages = new Map<string, string>();

  /** Finds the pass for `name`: identifier, userProvidedId, barcode value, generatedId; the newest of several. */
  find(name: string): ModelPass | undefined {
    return (
      this.passes.find(({ identity }) => identity.identifier === name) ??
      this.passes.findLast(({ content }) => content.userProvidedId === name) ??
      this.passes.findLast(({ content }) => content.barcodeValue === name) ??
      this.passes.find(({ identity }) => identity.generatedId === name)
    );
  }

  /**
   * Returns the download page that a pass must show when it shows `seen`. Passes of a bundle share one, any other pass
   * has its own, and they never change.
   */
  pageOf({ identity, content }: ModelPass, seen: string): string {
    for (const key of this.#pages.keys()) {
      const isEmpty =
        key.startsWith('bundle ') && !this.passes.some((pass) => key === `bundle ${pass.content.bundleId}`);
      if (isEmpty) this.#pages.delete(key);
    }
    const key = content.bundleId ? `bundle ${content.bundleId}` : identity.identifier;
    const known = this.#pages.get(key);
    const isTaken = [...this.#pages].some(([other, page]) => other !== key && page === seen);
    if (known === undefined && !isTaken) this.#pages.set(key, seen);
    return known ?? (isTaken ? 'a page of its own' : seen);
  }

  create(template: ModelTemplate, sent: Sent): Outcome {
    const blank: Content = {
      template,
      userProvidedId: null,
      barcodeValue: GENERATED,
      storedValue: null,
      expirationDate: null,
      bundleId: null,
      downloadPin: null,
      voided: false,
      properties: {},
      flight: null,
    };
    return this.#ruled(undefined, written(blank, sent, { whole: true, generated: GENERATED }), sent);
  }

  /** Clears whatever isn't sent, except template and voided, and unless sent, barcode value and bundle. */
  replace(pass: ModelPass, sent: Sent): Outcome {
    const { template, barcodeValue, bundleId, voided } = pass.content;
    const { generatedId: generated } = pass.identity;
    const kept: Content = { ...pass.content, userProvidedId: null, storedValue: null, expirationDate: null };
    const cleared = { ...kept, downloadPin: null, eligiblePlaces: undefined, properties: {}, flight: null };
    const base: Content = { ...cleared, template, barcodeValue, bundleId, voided };
    const outcome = written(base, sent, { whole: true, generated, before: pass.content });
    if ('content' in outcome && typeof sent.voided === 'boolean') outcome.content.voided = sent.voided;
    return this.#ruled(pass, outcome, sent);
  }

  /** Changes only what is sent. */
  patch(pass: ModelPass, sent: Sent): Outcome {
    const { generatedId: generated } = pass.identity;
    const outcome = written(pass.content, sent, { whole: false, generated, before: pass.content });
    if ('content' in outcome && typeof sent.voided === 'boolean') outcome.content.voided = sent.voided;
    return this.#ruled(pass, outcome, sent);
  }

  /** Values move to properties of the same name; those of the old template are kept for a move back. */
  move(pass: ModelPass, target: ModelTemplate): Outcome {
    const { template: from, properties, flight } = pass.content;
    if (from === target) return { content: pass.content };
    const moved = { ...properties };
    for (const { id, name } of target.properties) {
      const source = from.properties.find((property) => property.name === name);
      if (!source) continue;
      delete moved[id];
      if (properties[source.id] !== undefined) moved[id] = properties[source.id]!;
    }
    const refused = completed(target, moved);
    if (target.air && !flight) refused.push(...FLIGHT_REQUIRED);
    if (refused.length > 0) return { refused };
    const kept = target.air ? flight : null;
    const wasFlight = pass.content.wasFlight || kept !== flight;
    const content = { ...pass.content, template: target, properties: moved, flight: kept, wasFlight };
    return this.#ruled(pass, { content }, {});
  }

  remove(pass: ModelPass): void {
    this.passes = this.passes.filter((other) => other !== pass);
    this.gone.push(pass.identity.identifier);
  }

  /** Applies the rules that involve other passes. */
  #ruled(pass: ModelPass | undefined, outcome: Outcome, sent: Sent): Outcome {
    if ('refused' in outcome) return outcome;
    const { content } = outcome;
    const { template, userProvidedId, bundleId } = content;
    const others = this.passes.filter((other) => other !== pass).map((other) => other.content);
    const neighbours = others.filter((other) => other.template === template);
    const refused: string[] = [];
    const taken = (among: Content[]) =>
      userProvidedId && among.some((other) => other.userProvidedId === userProvidedId);
    if (sent.enforceUniqueUserProvidedId === true && taken(others)) refused.push('userProvidedId');
    if (template.uniqueNames && taken(neighbours)) refused.push('userProvidedId');
    for (const { id, name, unique } of template.properties) {
      const value = content.properties[id];
      if (unique && value !== undefined && neighbours.some((other) => other.properties[id] === value))
        refused.push(name);
    }
    if (pass?.content.template !== template && neighbours.length >= template.maxPasses) refused.push('maximum number');
    const members = others.filter((other) => other.bundleId === bundleId);
    if (bundleId && pass?.content.bundleId !== bundleId && members.length >= BUNDLE_PASSES_MAX)
      refused.push('bundleId');
    return refused.length > 0 ? { refused } : outcome;
  }
}

/** Returns the errors of a body that is invalid for any template, found before the pass is read. */
export function malformed(sent: Sent): string[] {
  const refused: string[] = [];
  if (sent.storedValue === 'much') refused.push('storedValue');
  if (sent.expirationDate === 'soon') refused.push('expirationDate');
  return refused;
}

interface Writing {
  /** Whether the result must be a complete pass: defaults apply, and required properties must have values. */
  whole: boolean;
  /** Barcode value of a pass without its own. */
  generated: string;
  /** The current content: it may be sent again, even if the template no longer accepts such values. */
  before?: Content;
}

function written(base: Content, sent: Sent, { whole, generated, before }: Writing): Outcome {
  const { template } = base;
  const refused = malformed(sent);
  const has = (name: string) => name in sent;
  const text = (name: string) => (sent[name] == null || sent[name] === '' ? null : String(sent[name]));
  const content: Content = { ...base, properties: { ...base.properties } };
  if (has('userProvidedId')) content.userProvidedId = text('userProvidedId');
  if (has('barcodeValue')) content.barcodeValue = text('barcodeValue') ?? generated;
  if (has('storedValue')) content.storedValue = sent.storedValue == null ? null : Number(sent.storedValue);
  if (has('bundleId')) content.bundleId = text('bundleId');
  if (has('downloadPin')) {
    const isKept = before?.downloadPin === text('downloadPin');
    content.downloadPin = template.pin || isKept ? text('downloadPin') : null;
  }
  if (has('expirationDate')) {
    content.expirationDate = text('expirationDate');
    if (content.expirationDate?.startsWith('2027-02-30')) refused.push('expirationDate');
  }
  if (has('eligibleValidationPlaces')) {
    const places = (sent.eligibleValidationPlaces ?? undefined) as string[] | undefined;
    content.eligiblePlaces = places;
    const known = [...template.places, ...(before?.eligiblePlaces ?? [])];
    if (places?.some((place) => !known.includes(place))) refused.push('eligibleValidationPlaces');
  }
  for (const property of template.properties) {
    const key = [property.id, property.name].find(has);
    if (key !== undefined) refused.push(...writeProperty(content, property, sent[key], key));
    else if (whole) delete content.properties[property.id];
  }
  if (whole) refused.push(...completed(template, content.properties));
  else
    refused.push(
      ...template.properties.filter((one) => one.required && !(one.id in content.properties)).map(({ name }) => name),
    );
  if (template.air && (whole || FLIGHT_FIELDS.some(has))) refused.push(...writeFlight(content, sent));
  return refused.length > 0 ? { refused } : { content };
}

function writeProperty({ properties }: Content, property: ModelProperty, value: unknown, key: string): string[] {
  delete properties[property.id];
  if (value === null || value === '') return [];
  if (property.options && !property.options.includes(String(value))) return [key];
  properties[property.id] = property.type === 'checkbox' ? String(value) === 'true' : String(value);
  return [];
}

/** Fills in defaults; returns the names of required properties without a value. */
function completed(template: ModelTemplate, properties: Record<string, Value>): string[] {
  const missing: string[] = [];
  for (const property of template.properties) {
    if (property.id in properties) continue;
    if (property.default !== undefined) properties[property.id] = property.default;
    else if (property.required) missing.push(property.name);
  }
  return missing;
}

function writeFlight(content: Content, sent: Sent): string[] {
  const fields: Sent = { ...content.flight };
  for (const name of FLIGHT_FIELDS) if (name in sent) fields[name] = sent[name];
  const refused = FLIGHT_REQUIRED.filter((name) => fields[name] == null || fields[name] === '');
  if (fields.originAirportCode === 'WIEN') refused.push('originAirportCode');
  if (typeof fields.originAirportCode === 'string') fields.originAirportCode = fields.originAirportCode.toUpperCase();
  if (fields.flightNumber != null) fields.flightNumber = Number(fields.flightNumber);
  content.flight = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return refused;
}
