import type { Issue } from '../../errors.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { Room, Rule } from '../rules.ts';
import type { Pass } from '../table.ts';
import { duplicatesRefusal } from '../unique-values.ts';

/** Planned write of an item. */
export interface Intent {
  seq: number;
  pass: Pass;
  definition: StoredDefinition;
  rules: Rule[];
  /** Whether it claims values that may have to be unique. */
  claims: boolean;
}

/**
 * What the accepted items of a dry run take from the later ones: places in templates and bundles, names and unique
 * values. Items are accepted in their order.
 */
export class Rehearsal {
  readonly #left = new Map<string, number>();
  readonly #named = new Map<string, string>();
  readonly #claimed = new Map<string, string>();
  readonly #accepted = new Set<string>();
  readonly #unique = new Map<string, string[]>();

  /** Returns each room of these items once whose size isn't known yet; `keepRoom` keeps it. */
  unknownRooms(intents: Intent[]): Room[] {
    const rooms = intents.flatMap(({ rules }) => rules.flatMap(({ room }) => room ?? []));
    return [...new Map(rooms.map((room) => [room.of, room])).values()].filter(({ of }) => !this.#left.has(of));
  }

  /** Keeps the number of writes that fit into a room; null: any number. */
  keepRoom({ of }: Room, left: number | null): void {
    this.#left.set(of, left ?? Number.POSITIVE_INFINITY);
  }

  /** Returns the templates of these items whose unique properties aren't known yet; `keepUnique` keeps them. */
  unknownTemplates(intents: Intent[]): string[] {
    return [...new Set(intents.map(({ pass }) => pass.templateId))].filter((id) => !this.#unique.has(id));
  }

  /** Keeps the identifiers of a template's unique properties. */
  keepUnique(templateId: string, propertyIds: string[]): void {
    this.#unique.set(templateId, propertyIds);
  }

  /** Whether an accepted item writes this pass. What it held before is then free, or taken by the item. */
  hasAccepted(passId: string): boolean {
    return this.#accepted.has(passId);
  }

  /** Accepts an item, unless earlier items of the call leave it no room or have its values. Returns the issues. */
  accept({ pass, definition, rules, claims }: Intent): Issue[] {
    const broken = rules.filter(
      ({ room, name }) => (room && this.#isFull(room)) || (name && this.#isNamed(name, pass)),
    );
    const values = claims ? this.#valuesOf(pass) : [];
    const repeated = values.filter(([, value]) => (this.#claimed.get(value) ?? pass.id) !== pass.id);
    const duplicates = repeated.length > 0 && duplicatesRefusal(definition, new Set(repeated.map(([id]) => id)));
    const issues = [...broken.map(({ issue }) => issue), ...(duplicates ? duplicates.issues : [])];
    if (issues.length > 0) return issues;
    this.#accepted.add(pass.id);
    for (const { room } of rules) if (room) this.#left.set(room.of, this.#left.get(room.of)! - 1);
    for (const scope of ['account', 'template'] as const) this.#named.set(nameIn(scope, pass), pass.id);
    for (const [, value] of values) this.#claimed.set(value, pass.id);
    return [];
  }

  #isFull({ of }: Room): boolean {
    return this.#left.get(of)! <= 0;
  }

  #isNamed(scope: NonNullable<Rule['name']>, pass: Pass): boolean {
    return (this.#named.get(nameIn(scope, pass)) ?? pass.id) !== pass.id;
  }

  /** Returns the unique values of a pass: property ID, and what identifies the value in its template. */
  #valuesOf({ templateId, properties }: Pass): [string, string][] {
    const held = (this.#unique.get(templateId) ?? []).filter((id) => Object.hasOwn(properties, id));
    return held.map((id) => [id, JSON.stringify([templateId, id, String(properties[id])])]);
  }
}

/** Identifies the userProvidedId of a pass in its account or template. */
function nameIn(scope: NonNullable<Rule['name']>, { templateId, userProvidedId }: Pass): string {
  return JSON.stringify(scope === 'account' ? [userProvidedId] : [templateId, userProvidedId]);
}
