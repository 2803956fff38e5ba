import { describe, expect, test } from 'vitest';
import { KeyboardWedge } from '../../../src/pages/scanner/client/inputs/keyboard-wedge.ts';

/** Types keys with a pause before each. Returns the meaning of the last one. */
function typed(wedge: KeyboardWedge, keys: string[], pause: number | ((index: number) => number)) {
  let at = 1_000;
  return keys
    .map((key, i) => {
      at += typeof pause === 'number' ? pause : pause(i);
      return wedge.take(key, at);
    })
    .at(-1);
}

const CODE = [...'A-1 7'];

describe('a hardware reader', () => {
  test.each(['Enter', 'Tab'])('ends its code with %s', (end) => {
    expect(typed(new KeyboardWedge(), [...CODE, end], 5)).toEqual({ kind: 'code', value: 'A-1 7' });
  });

  test('may pause briefly', () => {
    const stutter = (index: number) => (index === 3 ? 120 : 8);
    expect(typed(new KeyboardWedge(), [...CODE, 'Enter'], stutter)).toEqual({ kind: 'code', value: 'A-1 7' });
  });

  test('presses Shift on the way', () => {
    expect(typed(new KeyboardWedge(), ['Shift', 'A', '-', 'Shift', '1', '7', 'Enter'], 5)).toEqual({
      kind: 'code',
      value: 'A-17',
    });
  });

  test('types several codes in sequence', () => {
    const wedge = new KeyboardWedge();
    typed(wedge, [...CODE, 'Enter'], 5);
    expect(typed(wedge, [...'12345', 'Enter'], 5)).toEqual({ kind: 'code', value: '12345' });
  });
});

describe('a person', () => {
  test('is slower', () => {
    expect(typed(new KeyboardWedge(), [...CODE, 'Enter'], 90)).toEqual({ kind: 'typing' });
  });

  test('who typed something before a code does not affect the code', () => {
    const wedge = new KeyboardWedge();
    wedge.take('x', 0);
    expect(typed(wedge, [...CODE, 'Enter'], 5)).toEqual({ kind: 'code', value: 'A-1 7' });
  });

  test('presses Enter alone', () => {
    expect(new KeyboardWedge().take('Enter', 0)).toEqual({ kind: 'typing' });
  });
});
