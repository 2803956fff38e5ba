import { createDemoPass, type DemoFile } from '../demo/passes.ts';
import { called, walletOf } from '../public-api.ts';
import { Problem } from '../settings.ts';

const NAMES = ['Mira Castellan', 'Jonas Feld', 'Leonie Farkas', 'Tomás Herrera', 'Ada Lindqvist', 'Noor Adler'];

/** The data that the pictures show. */
export interface Shown {
  /** Identifier of a boarding pass, and its download page. */
  passId: string;
  downloadPage: string;
  /** Codes of unscanned concert tickets. */
  freshCodes: [string, string, string];
}

/** Creates passes and scans in the demo account. */
export async function fillDemo(demo: DemoFile): Promise<Shown> {
  const wallet = walletOf(demo.baseUrl, demo.apiKey);
  const [configuration] = (await called(wallet.listAppConfigurations().next())).value ?? [];
  if (!configuration) throw new Problem('The demo account has no app configuration.');
  const createTicket = async (more: object) => {
    const data = { templateId: demo.templates.eventTicket, ...more };
    return (await called(wallet.createPassV3({ query: { async: false }, body: { data } }))).data;
  };
  for (const [i, name] of NAMES.entries()) {
    const [firstName, lastName] = name.split(' ');
    const card = { templateId: demo.templates.storeCard, userProvidedId: `member-${1_007 + i}`, firstName, lastName };
    await called(wallet.createPassV3({ query: { async: false }, body: { data: card } }));
    const ticket = await createTicket({ userProvidedId: `order-${2_031 + i}`, guestName: name });
    // One guest tries to enter twice.
    for (let scan = 0; scan < (i === 4 ? 2 : 1); scan++) {
      const found = { scannedBarcodeValue: ticket.barcodeValue, deviceName: 'North door' };
      await called(wallet.createAppScan({ body: { appConfigurationId: configuration.configurationId, ...found } }));
    }
  }
  const { identifier, downloadPage } = await createDemoPass(demo);
  const freshCode = async (guestName: string) => (await createTicket({ guestName })).barcodeValue!;
  // Counts update within three minutes.
  await fetch(new URL('/dev/clock', demo.baseUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ advance: '5m' }),
  });
  const freshCodes: Shown['freshCodes'] = [
    await freshCode('Ines Moreau'),
    await freshCode('Emil Sato'),
    await freshCode('Ida Brandt'),
  ];
  return { passId: identifier, downloadPage, freshCodes };
}
