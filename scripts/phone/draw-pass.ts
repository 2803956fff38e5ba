import { type HeldPass, type ListName, type ShownField, shownFields } from '../../test/support/phone-pass.ts';
import { clean, inColors, inColumns, widthOf, wrap } from './terminal-text.ts';

const CARD_COLUMNS = 58;
const MARGIN = 2;
const INNER = CARD_COLUMNS - 2 * MARGIN;
/** Fields per row on the front. Wallet drops further ones, too. */
const ROW_FIELDS_MAX = 4;
const BACK_LABEL_COLUMNS = 20;

/** Draws the front, in the pass's colors or without, and the back below it. Lines have no indent. */
export function drawPass(pass: HeldPass, language: string, colored: boolean): string[] {
  const fields = shownFields(pass, language);
  const of = (list: ListName) => fields.filter((field) => field.list === list);
  const lines = [
    ...header(pass, of('headerFields')),
    { text: '' },
    ...primary(of('primaryFields'), pass.style),
    ...row(of('secondaryFields')),
    ...row(of('auxiliaryFields')),
    ...code(pass),
  ];
  return [...frame(lines, pass, colored), ...back(of('backFields'))];
}

/** A line of the front; labels have their own color. */
interface Line {
  text: string;
  isLabel?: boolean;
}

/** The issuer on the left and header fields on the right, as on a card in the stack. */
function header(pass: HeldPass, fields: ShownField[]): Line[] {
  const { logoText, organizationName } = pass.content;
  const cells = fields.map(({ label, text }) => {
    const width = Math.max(widthOf(clean(label)), widthOf(clean(text)));
    return {
      label: inColumns(clean(label).toUpperCase(), width, 'right'),
      text: inColumns(clean(text), width, 'right'),
    };
  });
  const right = (pick: 'label' | 'text') => cells.map((cell) => cell[pick]).join('   ');
  const room = INNER - widthOf(right('text')) - 1;
  const left = clean(logoText || organizationName);
  return [
    { text: `${inColumns('', room)} ${right('label')}`, isLabel: true },
    { text: `${inColumns(left, room)} ${right('text')}` },
  ];
}

function primary(fields: ShownField[], style: HeldPass['style']): Line[] {
  if (fields.length === 0) return [];
  if (style !== 'boardingPass' || fields.length !== 2) {
    return fields.flatMap(({ label, text }) => [
      { text: clean(label).toUpperCase(), isLabel: true },
      { text: clean(text) },
      { text: '' },
    ]);
  }
  const [from, to] = fields as [ShownField, ShownField];
  const half = Math.floor(INNER / 2) - 2;
  const pair = (pick: (field: ShownField) => string, between: string) =>
    inColumns(clean(pick(from)), half) + inColumns(between, 4) + inColumns(clean(pick(to)), INNER - half - 4, 'right');
  return [
    { text: pair(({ label }) => label.toUpperCase(), ''), isLabel: true },
    { text: pair(({ text }) => text, '──▸') },
    { text: '' },
  ];
}

function row(all: ShownField[]): Line[] {
  const fields = all.slice(0, ROW_FIELDS_MAX);
  if (fields.length === 0) return [];
  const width = Math.floor(INNER / fields.length);
  const cells = (pick: (field: ShownField) => string) =>
    fields.map((field) => `${inColumns(clean(pick(field)), width - 1)} `).join('');
  return [
    { text: cells(({ label }) => label.toUpperCase()), isLabel: true },
    { text: cells(({ text }) => text) },
    { text: '' },
  ];
}

const BARCODES: Record<string, string> = {
  PKBarcodeFormatQR: 'QR code',
  PKBarcodeFormatPDF417: 'PDF417',
  PKBarcodeFormatAztec: 'Aztec',
  PKBarcodeFormatCode128: 'Code 128',
};

function code({ content }: HeldPass): Line[] {
  const [barcode] = content.barcodes ?? [];
  const lines: Line[] = [];
  if (barcode) lines.push({ text: `▐█▌▐ ${clean(barcode.message)}  (${BARCODES[barcode.format] ?? barcode.format})` });
  if (content.voided) lines.push({ text: 'VOIDED' });
  return lines;
}

function frame(lines: Line[], { content }: HeldPass, colored: boolean): string[] {
  const edge = ' '.repeat(MARGIN);
  const padded = [{ text: '' }, ...lines, { text: '' }].map((line) => ({ ...line, text: inColumns(line.text, INNER) }));
  if (!colored) {
    const bar = '─'.repeat(CARD_COLUMNS);
    return [`╭${bar}╮`, ...padded.slice(1, -1).map(({ text }) => `│${edge}${text}${edge}│`), `╰${bar}╯`];
  }
  const { backgroundColor: back, foregroundColor, labelColor } = content;
  return padded.map(({ text, isLabel }) =>
    inColors(`${edge}${text}${edge}`, { back, front: isLabel ? (labelColor ?? foregroundColor) : foregroundColor }),
  );
}

function back(fields: ShownField[]): string[] {
  return fields.flatMap(({ label, text }) => {
    const lines = text.split(/\r?\n/).flatMap((line) => wrap(clean(line), CARD_COLUMNS - BACK_LABEL_COLUMNS));
    return lines.map((line, index) => `${inColumns(index === 0 ? clean(label) : '', BACK_LABEL_COLUMNS - 1)} ${line}`);
  });
}
