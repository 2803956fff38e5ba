// A pass for each row of a spreadsheet: PASS_WALLET_URL=… PASS_WALLET_KEY=… node import.mjs TEMPLATE guests.csv
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PassWallet, readEvents } from 'pass-wallet-client';
import { readCsv } from './read-csv.mjs';

/** What one request may create. */
const PASSES_MAX = 10_000;

const [templateId, file] = process.argv.slice(2);
const wallet = new PassWallet({ baseUrl: process.env.PASS_WALLET_URL, apiKey: process.env.PASS_WALLET_KEY });
const rows = readCsv(readFileSync(file, 'utf8')).map(({ storedValue, ...row }) => ({
  ...row,
  ...(storedValue ? { storedValue: Number(storedValue) } : {}),
}));

let failed = 0;
for (let start = 0; start < rows.length; start += PASSES_MAX) {
  const passes = rows.slice(start, start + PASSES_MAX);
  const body = { templateId, passes };
  // The same rows have the same key: an import that was interrupted can be started again within a day.
  const idempotencyKey = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const { data } = await wallet.createPassesV3({ body }, { idempotencyKey });
  for await (const event of readEvents(await wallet.watchProcess({ path: { id: data.processId } }))) {
    const { status, current, total, errors } = event.data;
    console.log(`${status}: ${current} of ${total}`);
    if (status === 'in progress') continue;
    for (const [name, message] of Object.entries(errors ?? {})) {
      failed++;
      // A pass is named by its userProvidedId, or by its place in the request.
      const known = passes.findIndex(({ userProvidedId }) => userProvidedId === name);
      console.error(`Row ${start + (known < 0 ? Number(name) : known) + 2}: ${message}`);
    }
  }
}
console.log(`${rows.length - failed} passes created, ${failed} failed.`);
process.exitCode = failed > 0 ? 1 : 0;
