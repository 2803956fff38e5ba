import { textsIn, textsOf } from './folded-texts.ts';
import { isPersonal, type ProcessFacts, type ProcessState } from './process-state.ts';

/**
 * Facts of one process, in its object's SQLite. With the values of an update they can be large, so they are read
 * rarely.
 */
export class FactsStore {
  #sql: SqlStorage;
  #knownAim?: Pick<ProcessState, 'kind' | 'templateId'>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec('create table if not exists facts (facts text not null)');
  }

  insert(facts: ProcessFacts): void {
    this.#sql.exec('insert into facts values (?)', JSON.stringify(facts));
  }

  /** JSON of `ProcessFacts`. */
  get text(): string {
    return this.#sql.exec<{ facts: string }>('select facts from facts').one().facts;
  }

  /** Read once: it never changes, and the state of a running process is read often. */
  target(): Pick<ProcessState, 'kind' | 'templateId'> {
    this.#knownAim ??= this.#sql
      .exec<{ kind: ProcessState['kind']; templateId: string | null }>(
        "select facts ->> '$.operation.kind' as kind, facts ->> '$.operation.templateId' as templateId from facts",
      )
      .one();
    return this.#knownAim;
  }

  /** Removes the values and the query, once no retry can need them. */
  dropValues(): void {
    this.#sql.exec("update facts set facts = json_remove(facts, '$.operation.data', '$.query', '$.operation.match')");
  }

  /** Removes the match that identifies the person. */
  dropPerson(): void {
    this.#sql.exec(
      "update facts set facts = json_remove(facts, '$.operation.match') where facts ->> '$.operation.match' is not null",
    );
  }

  isAboutPerson(): boolean {
    return isPersonal(this.target());
  }

  /** Returns all texts of the values, the query or the match, folded. */
  texts(): string[] {
    return textsOf(this.#values());
  }

  #values(): unknown {
    const { operation, query } = JSON.parse(this.text) as ProcessFacts;
    if (isPersonal(operation)) return operation.match;
    return { query, data: operation.kind === 'update' ? operation.data : undefined };
  }

  /** Returns the folded texts that occur in the values, the query or the match. */
  textsIn(texts: Set<string>): string[] {
    if (texts.size === 0) return [];
    return textsIn(this.#values(), texts);
  }
}
