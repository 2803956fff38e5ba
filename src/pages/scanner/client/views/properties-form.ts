import type { ScannerConfiguration, ScannerProperty, ScannerScan } from '../../protocol.ts';
import { word } from '../page/boot.ts';
import { element, make } from '../page/elements.ts';

/** Values entered for a scan. */
export type Entered = Pick<ScannerScan, 'properties' | 'storedValue'>;

const NOTHING: Entered = { properties: {}, storedValue: null };
/** Key of the field for the stored value, which no property's identifier can equal. */
const STORED_VALUE = 'storedValue';

const dialog = element<HTMLDialogElement>('properties');
const form = element<HTMLFormElement>('properties-form');
const fault = element('properties-fault');

/** Returns whether a configuration asks questions before a scan is sent. */
export function asks({ properties, storedValue }: ScannerConfiguration): boolean {
  return properties.length > 0 || storedValue !== 'none';
}

/**
 * Asks the configuration's questions about the pass with this code. Resolves to undefined if the person cancels; asks
 * nothing without questions.
 */
export function askProperties(configuration: ScannerConfiguration, value: string): Promise<Entered | undefined> {
  if (!asks(configuration)) return Promise.resolve(NOTHING);
  const fields = fieldsOf(configuration);
  element('properties-value').textContent = word('propertiesText', { value });
  element('properties-fields').replaceChildren(...fields.flatMap(draw));
  fault.textContent = '';
  return new Promise((resolve) => {
    const ended = new AbortController();
    const end = (entered: Entered | undefined) => {
      ended.abort();
      dialog.close();
      resolve(entered);
    };
    form.addEventListener(
      'submit',
      (event) => {
        event.preventDefault();
        const entered = read(fields, configuration.preventNegative);
        if (entered) end(entered);
      },
      { signal: ended.signal },
    );
    dialog.addEventListener('close', () => end(undefined), { signal: ended.signal });
    dialog.showModal();
    form.querySelector('input')?.focus();
  });
}

function fieldsOf({ properties, storedValue }: ScannerConfiguration): ScannerProperty[] {
  if (storedValue === 'none') return properties;
  const name = word(storedValue === 'add' ? 'valueAdd' : 'valueReplace');
  return [...properties, { id: STORED_VALUE, name, type: 'double' }];
}

const inputId = (id: string) => `property-${id}`;

function draw({ id, name, type }: ScannerProperty): HTMLElement[] {
  const named = { id: inputId(id), name: id, autocomplete: 'off' };
  if (type === 'boolean') {
    const input = make('input', { ...named, type: 'checkbox' });
    return [make('label', { class: 'toggle' }, make('span', {}, name), input)];
  }
  // Numbers are typed as text, because browsers return an invalid number as an empty value.
  const keyboard = type === 'double' ? 'decimal' : 'text';
  return [make('label', { for: named.id }, name), make('input', { ...named, type: 'text', inputmode: keyboard })];
}

/**
 * Returns the entered values; undefined if a field is invalid, which then shows an error. Empty fields have no value.
 */
function read(fields: ScannerProperty[], preventNegative: boolean): Entered | undefined {
  const entered: Entered = { properties: {}, storedValue: null };
  for (const field of fields) {
    const input = element<HTMLInputElement>(inputId(field.id));
    const text = input.value.trim();
    input.removeAttribute('aria-invalid');
    if (field.type === 'boolean') entered.properties[field.id] = input.checked;
    else if (text === '') continue;
    else if (field.type === 'unicode') entered.properties[field.id] = text;
    else {
      const number = Number(text.replace(',', '.'));
      if (Number.isNaN(number)) return refuse(input, word('noNumber', { name: field.name }));
      if (preventNegative && number < 0) return refuse(input, word('notNegative', { name: field.name }));
      if (field.id === STORED_VALUE) entered.storedValue = number;
      else entered.properties[field.id] = number;
    }
  }
  return entered;
}

function refuse(input: HTMLInputElement, reason: string): undefined {
  fault.textContent = reason;
  input.setAttribute('aria-invalid', 'true');
  input.focus();
}
