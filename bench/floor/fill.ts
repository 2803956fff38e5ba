import type { Operand, StatementTemplate, TextTemplate, Values } from '../operands.ts';
import { date, uuid } from './common.ts';

/** Binds the statement's operands for this request. */
export function bound(
  session: D1DatabaseSession,
  { sql, operands }: StatementTemplate,
  values: Values,
): D1PreparedStatement {
  return session.prepare(sql).bind(...operands.map((operand) => operandOf(operand, values)));
}

function operandOf(operand: Operand, values: Values): unknown {
  if ('is' in operand) return operand.is;
  return 'value' in operand ? namedValue(operand.value, values) : filled(operand.text, values);
}

/** Fills in the text with this request's values. */
export function filled(template: TextTemplate, values: Values): string {
  let text = '';
  for (const [i, part] of template.entries()) text += i % 2 === 0 ? part : String(namedValue(part, values));
  return text;
}

function namedValue(name: string, values: Values): unknown {
  if (values[name] === undefined) values[name] = made(name);
  return values[name];
}

/** Makes a value on demand, once per request. */
function made(name: string): unknown {
  if (name === 'now') return Date.now();
  if (name === 'iat') return Math.floor(Date.now() / 1_000);
  if (name === 'date') return date(Date.now());
  if (name === 'random') return crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1;
  if (name.startsWith('uuid')) return uuid(Date.now());
  throw new Error(`the floor has no ${name}`);
}
