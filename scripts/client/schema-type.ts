import type { Schema } from './contract.ts';

const COMMENT_COLUMNS = 116;
const COMMENT_LINES_MAX = 3;

/** Converts a JSON Schema to a TypeScript type. */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.typeName) return schema.typeName;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  if (schema.anyOf) return union(schema.anyOf.map((one) => typeOf(one, indent)));
  if (schema.not) return 'never';
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'unknown' : union(types.map((type) => typeNamed(type, schema, indent)));
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return arrayOf(schema, indent);
  return type === 'object' ? objectOf(schema, indent) : type;
}

function arrayOf({ items, maxItems }: Schema, indent: string): string {
  if (maxItems === 0 || !items) return maxItems === 0 ? '[]' : 'unknown[]';
  const item = typeOf(items, indent);
  return /^[\w[\]]+$/.test(item) || item.startsWith('{') ? `${item}[]` : `(${item})[]`;
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema.description, inner)}${inner}${memberName(name)}${mark}: ${typeOf(schema, inner)};\n`;
  });
  if (typeof additionalProperties === 'object') {
    // An index signature must cover the named members, too.
    const other = members.length > 0 ? 'unknown' : typeOf(additionalProperties, inner);
    members.push(`${inner}[name: string]: ${other};\n`);
  }
  return members.length === 0 ? 'Record<string, unknown>' : `{\n${members.join('')}${indent}}`;
}

/** Returns a name as TypeScript writes it in a type. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

/** Returns a documentation comment with the first sentences that fit, or nothing. */
export function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const sentences = text.replaceAll('*/', '* /').split(/(?<=\.)\s+/);
  for (let count = sentences.length; count > 0; count--) {
    const lines = wrap(sentences.slice(0, count).join(' '), COMMENT_COLUMNS - indent.length - 3);
    if (lines.length === 1 && lines[0]!.length + indent.length < COMMENT_COLUMNS - 4) {
      return `${indent}/** ${lines[0]} */\n`;
    }
    if (lines.length <= COMMENT_LINES_MAX) {
      return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
    }
  }
  return '';
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + word.length + 1 > columns) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);
}

function union(types: string[]): string {
  const different = [...new Set(types)];
  return different.includes('unknown') ? 'unknown' : different.join(' | ');
}
