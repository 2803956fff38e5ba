import * as z from 'zod';
import { DefinitionShape } from '../../../../domain/templates/definition.ts';
import { isRecord, parseJson } from '../../../../platform/json.ts';
import { emptyTree, type FormNode, type FormTree, itemsOf } from './form-tree.ts';

/*
 * Converts a definition to a form and back, based on its schema, so that nothing is defined twice. Lists of texts are
 * one text per line, texts by language are lines such as `de: Text`, and features of a single wallet are JSON.
 */

type Members = Record<string, unknown>;

/** Members that a control holds as JSON: features of one wallet, and the semantic tags of a field. */
const JSON_MEMBERS = new Set(['apple', 'google', 'semantics']);

/** Returns the control for a path of the definition, and the rest of the path if the control holds JSON. */
export function controlOf(path: string): { name: string; rest: string } {
  const parts = path.split('.');
  const at = parts.findIndex((part) => JSON_MEMBERS.has(part));
  if (at < 0 || parts[0] === 'walletApps') return { name: path, rest: '' };
  return { name: parts.slice(0, at + 1).join('.'), rest: parts.slice(at + 1).join('.') };
}

/** Converts a definition in its wire form to a tree. */
export function treeOfDefinition(definition: Members): FormTree {
  const { translations, ...rest } = definition;
  const tree = branchOf(rest);
  tree.translations = translationsTree((translations ?? {}) as Record<string, Record<string, string>>);
  return tree;
}

function branchOf(members: Members): FormTree {
  const tree = emptyTree();
  for (const [name, value] of Object.entries(members)) {
    const isJson = JSON_MEMBERS.has(name) && isRecord(value);
    const node = isJson ? JSON.stringify(value, null, 2) : nodeOf(name, value);
    if (node !== undefined) tree[name] = node;
  }
  return tree;
}

function nodeOf(name: string, value: unknown): FormNode | undefined {
  if (value === null || value === undefined || value === false) return undefined;
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'object')
      ? Object.assign(emptyTree(), Object.fromEntries(value.map((item, i) => [i, branchOf(item)])))
      : value.join('\n');
  }
  if (typeof value !== 'object') return String(value);
  return name === TEXTS_BY_LANGUAGE ? linesOfRecord(value as Record<string, string>) : branchOf(value as Members);
}

const TEXTS_BY_LANGUAGE = 'localizedRelevantText';
const LINE_BREAK = '\\n';

function linesOfRecord(texts: Record<string, string>): string {
  return Object.entries(texts)
    .map(([language, text]) => `${language}: ${text.replaceAll('\n', LINE_BREAK)}`)
    .join('\n');
}

function translationsTree(translations: Record<string, Record<string, string>>): FormTree {
  const languages = Object.entries(translations).map(([language, texts]) => {
    const pairs = Object.entries(texts).map(([text, translation]) => Object.assign(emptyTree(), { text, translation }));
    return Object.assign(emptyTree(), { language, texts: Object.assign(emptyTree(), { ...pairs }) });
  });
  return Object.assign(emptyTree(), { ...languages });
}

/** Converts a form to a definition, to be checked by `TemplateDefinition`. */
export function definitionOfTree(tree: FormTree): Members {
  const said = read(DefinitionShape, tree) as Members & { expiration: Members };
  said.relevantDate = withSpace(said.relevantDate);
  said.expiration.expirationDate = withSpace(said.expiration.expirationDate);
  return said;
}

/** Replaces the T that a browser's date and time input puts between the two. */
function withSpace(moment: unknown): unknown {
  return typeof moment === 'string' ? moment.replace(/^(\d{4}-\d{2}-\d{2})T(?=\d{2}:\d{2}$)/, '$1 ') : moment;
}

function read(schema: z.core.$ZodType, node: FormNode): unknown {
  const { inner, optional } = unwrapped(schema);
  if (inner instanceof z.ZodObject) return readObject(inner, node, optional);
  if (inner instanceof z.ZodArray) {
    const { element } = inner;
    if (!(unwrapped(element).inner instanceof z.ZodObject)) return lines(node);
    return typeof node === 'string' ? [] : itemsOf(node).map((item) => read(element, item));
  }
  if (inner instanceof z.ZodRecord) return readRecord(node, optional);
  if (inner instanceof z.ZodBoolean) return node === 'true' ? true : optional ? undefined : false;
  if (typeof node !== 'string') return undefined;
  if (isNumeric(inner)) return node.trim() !== '' && Number.isFinite(Number(node)) ? Number(node) : node || undefined;
  return node === '' && !(isText(inner) && !optional) ? undefined : node;
}

/** Returns undefined for an optional object with only empty controls. */
function readObject({ shape }: z.ZodObject, node: FormNode, optional: boolean): Members | undefined {
  const branch = typeof node === 'string' ? emptyTree() : node;
  if (optional && isBlank(branch)) return undefined;
  const members = Object.entries(shape).map(([name, member]) => [
    name,
    JSON_MEMBERS.has(name) && !isFlag(member) ? readJson(branch[name] ?? '') : read(member, branch[name] ?? ''),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** `walletApps` has flags with the same names. */
const isFlag = (schema: z.core.$ZodType): boolean => unwrapped(schema).inner instanceof z.ZodBoolean;

/** Returns invalid JSON as text, which the schema rejects. */
function readJson(node: FormNode): unknown {
  if (typeof node !== 'string' || node.trim() === '') return undefined;
  return parseJson(node) ?? node;
}

function isBlank(branch: FormTree): boolean {
  // A functionality without a type doesn't count, even if the form still holds tiers.
  if ('tiers' in branch && branch.type === '') return true;
  return Object.values(branch).every((node) => (typeof node === 'string' ? node === '' : isBlank(node)));
}

function readRecord(node: FormNode, optional: boolean): Members | undefined {
  if (typeof node === 'string') {
    const entries = lines(node).map((line) => {
      const [, language = line, text = ''] = /^([^:]*):(.*)$/.exec(line) ?? [];
      return [language.trim(), text.trimStart().replaceAll(LINE_BREAK, '\n')];
    });
    return entries.length > 0 || !optional ? Object.fromEntries(entries) : undefined;
  }
  const languages = itemsOf(node).map(({ language = '', texts = '' }) => {
    const pairs = typeof texts === 'string' ? [] : itemsOf(texts);
    const translated = pairs.filter(({ translation }) => translation !== '');
    return [language, Object.fromEntries(translated.map(({ text, translation }) => [text, translation]))];
  });
  return Object.fromEntries(languages.filter(([language, texts]) => language !== '' || Object.keys(texts!).length > 0));
}

function lines(node: FormNode): string[] {
  if (typeof node !== 'string') return [];
  return node
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

function unwrapped(schema: z.core.$ZodType): { inner: z.core.$ZodType; optional: boolean } {
  const isOptional = schema instanceof z.ZodOptional;
  const isWrapper = isOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  if (!isWrapper && !(schema instanceof z.ZodPrefault)) return { inner: schema, optional: false };
  const { inner, optional } = unwrapped(schema.unwrap());
  return { inner, optional: optional || isOptional };
}

/** A text, or a schema that outputs text. */
function isText(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodString || (schema instanceof z.ZodPipe && schema.out instanceof z.ZodString);
}

/** A number, or one of several numbers. A text that the schema itself converts to a number stays text. */
function isNumeric(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNumber) return true;
  return (
    schema instanceof z.ZodUnion &&
    schema.options.every((option) => option instanceof z.ZodLiteral && typeof option.value === 'number')
  );
}
