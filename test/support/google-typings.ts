import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/*
 * The types that Google publishes for its Wallet API, read from the package, so that a new version is checked
 * automatically.
 */

type Types = Map<string, Map<string, string>>;

let types: Types | undefined;

/** Returns types by name, with their members and the members' types. */
function publishedTypes(): Types {
  if (types) return types;
  const file = createRequire(import.meta.url)
    .resolve('@googleapis/walletobjects')
    .replace(/index\.js$/, 'v1.d.ts');
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
  const found = text.matchAll(/export interface Schema\$(\w+) \{(.*?)\n {4}\}/gs);
  types = new Map(
    [...found].map(([, name, body]) => {
      const members = [...body!.matchAll(/(\w+)\?: (.+?)( \| null)?;/g)];
      return [name!, new Map(members.map(([, member, type]) => [member!, type!]))];
    }),
  );
  return types;
}

/** Returns the members of a resource such as `eventTicketObject`. */
export function publishedMembers(resourceType: string): string[] {
  return [...(publishedTypes().get(typeName(resourceType)) ?? [])].map(([member]) => member);
}

/** Returns the typings' name for `eventTicketObject` and the like. */
function typeName(resourceType: string): string {
  return resourceType.charAt(0).toUpperCase() + resourceType.slice(1);
}

/** Returns where a resource doesn't match Google's type: unknown members, and values of another type. */
export function typingFaults(resourceType: string, value: unknown): string[] {
  return faults(`Schema$${typeName(resourceType)}`, value, resourceType);
}

function faults(type: string, value: unknown, path: string): string[] {
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, i) => faults(type.slice(0, -2), item, `${path}.${i}`));
  }
  const [, name] = /^Schema\$(\w+)$/.exec(type) ?? [];
  if (!name) return typeof value === type ? [] : [`${path} is no ${type}`];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no ${name}`];
  const members = publishedTypes().get(name);
  if (!members) return [`${path}: ${name} is not published`];
  return Object.entries(value).flatMap(([member, part]) => {
    const partType = members.get(member);
    return partType ? faults(partType, part, `${path}.${member}`) : [`${path}.${member} is unknown`];
  });
}
