import { expect, test } from 'vitest';
import { Mutex } from '../../src/platform/mutex.ts';

test('work runs one piece at a time, in the order of the calls', async () => {
  const queue = new Mutex();
  const log: string[] = [];
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const done = gates.map((gate, i) =>
    queue.run(async () => {
      log.push(`begins ${i}`);
      await gate.promise;
      log.push(`ends ${i}`);
      return i;
    }),
  );
  for (const gate of gates.toReversed()) gate.resolve();
  expect(await Promise.all(done)).toEqual([0, 1, 2]);
  expect(log).toEqual(['begins 0', 'ends 0', 'begins 1', 'ends 1', 'begins 2', 'ends 2']);
});

test('a failure only reaches its own caller', async () => {
  const queue = new Mutex();
  const failing = queue.run(async () => {
    throw new Error('refused');
  });
  const next = queue.run(async () => 'done');
  await expect(failing).rejects.toThrow('refused');
  expect(await next).toBe('done');
});
