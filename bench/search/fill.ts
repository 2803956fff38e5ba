import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { documentOf } from '../../src/domain/passes/search-index/pass-document.ts';
import { fold } from '../../src/domain/passes/search-index/search-terms.ts';
import type { Pass } from '../../src/domain/passes/table.ts';
import { crowdId } from '../seed.ts';
import { PROPERTIES, valuesOf } from './crowd.ts';

/** Passes per transaction. */
const CHUNK_PASSES = 5_000;
/** Passes are a minute apart. */
const CREATED_FROM = Date.UTC(2024, 0, 1);

/**
 * Tables for the same passes as an expert who knows the questions would design them: a column per property, texts as
 * they are compared, an index per column, and trigrams of the texts. The product is measured against these.
 */
const FLOOR_TABLES = `
  create table floor_passes (key integer primary key, id text, user_provided_id text, created_at integer, stored_value real, voided integer,
    first_name text, last_name text, email text, city text, level text, note text, points real, member_since integer, newsletter integer, code text);
  create virtual table floor_phrases using fts5(texts, tokenize = 'trigram', content = '', contentless_delete = 1);`;
const FLOOR_COLUMNS = [
  'user_provided_id',
  'created_at',
  'stored_value',
  'voided',
  'first_name',
  'last_name',
  'email',
  'city',
  'level',
  'points',
  'member_since',
  'newsletter',
  'code',
];

/** Opens the D1 database file in a state folder that has a table. workerd must not be running. */
export function openStateDatabase(stateDir: string, table: string): DatabaseSync {
  const files = readdirSync(stateDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sqlite'));
  for (const file of files) {
    const database = new DatabaseSync(join(stateDir, file));
    const known = database.prepare('select 1 from sqlite_schema where name = ?').get(table);
    if (known) return database;
    database.close();
  }
  throw new Error(`no database in ${stateDir} has a table ${table}`);
}

/**
 * Adds passes from number 1 on, with the rows that creates write to the pass and search tables, and the floor's rows.
 * `model` is a pass of the template as a domain object, `row` the same as a database row.
 */
export function fillCrowd(
  database: DatabaseSync,
  model: Pass,
  row: Record<string, string | number | null>,
  passes: number,
  say: (text: string) => void,
): void {
  database.exec(`pragma synchronous = off; pragma cache_size = -400000; ${FLOOR_TABLES}`);
  const columns = Object.keys(row).filter((name) => name !== 'key');
  const insert = (table: string, names: string[]) =>
    database.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`);
  const ours = {
    pass: insert('passes', ['key', ...columns]),
    terms: insert('pass_terms', ['rowid', 'terms']),
  };
  const floor = {
    pass: insert('floor_passes', ['key', 'id', ...FLOOR_COLUMNS, 'note']),
    phrases: insert('floor_phrases', ['rowid', 'texts']),
  };
  const firstKey = Number(row.key) + 1;
  for (let from = 1; from <= passes; from += CHUNK_PASSES) {
    database.exec('begin');
    for (let n = from; n < Math.min(from + CHUNK_PASSES, passes + 1); n++) {
      const key = firstKey + n;
      const pass = passOf(model, n);
      const { terms } = documentOf(pass);
      const texts = [
        pass.id,
        pass.userProvidedId,
        pass.barcodeValue,
        pass.generatedId,
        ...Object.values(pass.properties),
      ];
      const own = ownColumns(pass);
      ours.pass.run(key, ...columns.map((name) => (name in own ? own[name]! : row[name]!)));
      ours.terms.run(key, terms.join(' '));
      floor.pass.run(key, pass.id, ...floorValues(pass, n));
      floor.phrases.run(key, texts.join('\n').toLowerCase());
    }
    database.exec('commit');
    if ((from + CHUNK_PASSES - 1) % 100_000 === 0) say(`  ${(from + CHUNK_PASSES - 1).toLocaleString('en')}`);
  }
  for (const name of FLOOR_COLUMNS) database.exec(`create index floor_${name} on floor_passes (${name}, key)`);
  database.prepare('update templates set pass_count = pass_count + ? where id = ?').run(passes, model.templateId);
  // Same as `pragma optimize` in D1.
  database.exec('analyze; pragma wal_checkpoint(truncate)');
}

function passOf(model: Pass, n: number): Pass {
  const values = valuesOf(n);
  const named = PROPERTIES.flatMap(({ id, name }) => (values[name] === undefined ? [] : [[id, values[name]]]));
  return {
    ...model,
    id: crowdId(n),
    generatedId: `CROWD${String(n).padStart(10, '0')}`,
    barcodeValue: `CROWD${String(n).padStart(10, '0')}`,
    userProvidedId: `member-${String(n).padStart(9, '0')}`,
    secrets: null,
    pageToken: `page-${String(n).padStart(16, '0')}`,
    createdAt: CREATED_FROM + n * 60_000,
    modifiedAt: CREATED_FROM + n * 60_000,
    storedValue: n % 5_000,
    voided: n % 500 === 0,
    properties: Object.fromEntries(named),
  };
}

function ownColumns(pass: Pass): Record<string, string | number | null> {
  return {
    id: pass.id,
    generated_id: pass.generatedId,
    barcode_value: pass.barcodeValue,
    user_provided_id: pass.userProvidedId,
    page_token: pass.pageToken,
    secrets: pass.secrets,
    created_at: pass.createdAt,
    modified_at: pass.modifiedAt,
    stored_value: pass.storedValue,
    voided: Number(pass.voided),
    properties: JSON.stringify(pass.properties),
  };
}

/** Values of `FLOOR_COLUMNS` and the note. */
function floorValues(pass: Pass, n: number): (string | number | null)[] {
  const { firstName, lastName, email, city, level, note, points, memberSince, newsletter, code } = valuesOf(n);
  const text = (value: string | boolean | undefined) => (value === undefined ? null : fold(String(value)));
  return [
    text(pass.userProvidedId!),
    pass.createdAt,
    pass.storedValue,
    Number(pass.voided),
    ...[firstName, lastName, email, city, level].map(text),
    Number(points),
    Date.parse(`${String(memberSince).replace(' ', 'T')}Z`),
    Number(newsletter),
    text(code),
    text(note),
  ];
}
