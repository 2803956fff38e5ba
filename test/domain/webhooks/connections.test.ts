import { expect, test } from 'vitest';
import { Connections } from '../../../src/domain/webhooks/connections.ts';

/** Takes connections until none is free, and returns their number. */
function takeAll(connections: Connections, onFree = () => {}): number {
  let taken = 0;
  while (connections.take(onFree)) taken += 1;
  return taken;
}

/** Work that runs until `end`. */
function work() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const state = { hasBegun: false, end };
  const run = () => {
    state.hasBegun = true;
    return ended;
  };
  return { state, run };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('webhooks have five connections, and three while pushes run', async () => {
  const connections = new Connections();
  const { state, run } = work();
  const pushing = connections.push(2, run);
  await settled();
  expect([state.hasBegun, takeAll(connections)]).toEqual([true, 3]);
  state.end();
  await pushing;
  expect([connections.max, takeAll(connections)]).toEqual([5, 2]);
});

test('pushes begin once webhooks have left two connections, before other webhooks', async () => {
  const connections = new Connections();
  let served = 0;
  expect(takeAll(connections, () => served++)).toBe(5);
  const { state, run } = work();
  void connections.push(2, run);
  const begun: boolean[] = [];
  for (let i = 0; i < 2; i++) {
    connections.release(false);
    await settled();
    begun.push(state.hasBegun);
  }
  expect([begun, served]).toEqual([[false, true], 0]);
  connections.release(false);
  expect(served).toBe(1);
});

test('pushes of several accounts never have more than two connections', async () => {
  const connections = new Connections();
  let [running, most] = [0, 0];
  const push = () =>
    connections.push(1, async () => {
      most = Math.max(most, ++running);
      await settled();
      running -= 1;
    });
  await Promise.all(Array.from({ length: 5 }, push));
  expect(most).toBe(2);
});
