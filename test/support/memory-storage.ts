import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** A Durable Object's storage on in-memory SQLite, with what ours use. */
export interface MemoryStorage extends DurableObjectStorage {
  /** When its alarm is due, in UTC milliseconds; null if none is set. */
  alarmAt: number | null;
}

export function memoryStorage(): MemoryStorage {
  let database = new DatabaseSync(':memory:');
  const exec = (query: string, ...values: SQLInputValue[]) => {
    if (values.length === 0 && query.includes(';')) {
      database.exec(query);
      return { toArray: () => [], one: () => undefined };
    }
    const rows = database.prepare(query).all(...values);
    return { toArray: () => rows, one: () => rows[0], [Symbol.iterator]: () => rows[Symbol.iterator]() };
  };
  const storage = {
    alarmAt: null as number | null,
    sql: { exec },
    transactionSync: (work: () => unknown) => work(),
    async setAlarm(at: number) {
      storage.alarmAt = at;
    },
    async deleteAlarm() {
      storage.alarmAt = null;
    },
    async deleteAll() {
      database = new DatabaseSync(':memory:');
    },
  };
  // Nobody uses anything else of it.
  return storage as unknown as MemoryStorage;
}
