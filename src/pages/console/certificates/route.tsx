import { Hono } from 'hono';
import {
  completeRequest,
  getCertificateRequest,
  requestCertificate,
  withdrawRequest,
} from '../../../domain/certificates/certificate-requests.ts';
import { importCertificate } from '../../../domain/certificates/import-certificate.ts';
import {
  deleteCertificate,
  getOwnCertificate,
  listOwnKeys,
  preferCertificate,
} from '../../../domain/certificates/manage-certificates.ts';
import { type PushOptions, setPushSettings } from '../../../domain/certificates/push-settings.ts';
import { readUploadedFiles } from '../../../domain/certificates/read-files.ts';
import { type Issue, invalid, invalidField } from '../../../domain/errors.ts';
import { addGoogleIssuer } from '../../../wallets/google/add-issuer.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, pathTo, renamed, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { CertificatesPage, SECTION } from './certificate-list-page.tsx';
import { CertificatePage, DeleteCertificatePage, PreferCertificatePage, type TypedPush } from './certificate-page.tsx';
import { RequestPage, WithdrawRequestPage } from './request-pages.tsx';
import { NewCertificatePage, NewIssuerPage } from './upload-pages.tsx';

/** Routes for certificates and issuers. All members can view them, without keys; only owners can change them. */
export const certificateRoutes = new Hono<AccountEnv>();

const owner = requirePrivilege('owner');
certificateRoutes.post('*', owner);

const pathOf = (c: AccountPageContext, ...parts: string[]) => pathTo(c, SECTION, ...parts);

certificateRoutes.get('/', async (c) => {
  const found = await listOwnKeys(c.var.acting);
  return page(c, <CertificatesPage {...found} now={Date.now()} />);
});

certificateRoutes.get('/new', owner, (c) => page(c, <NewCertificatePage />));

certificateRoutes.post('/', async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody();
  const work = async () => {
    const files = {
      p12: await fileOf(form, 'p12'),
      certificate: await fileOf(form, 'certificate'),
      key: await fileOf(form, 'key'),
      intermediate: await fileOf(form, 'intermediate'),
      password: textOf(form, 'password'),
    };
    const uploaded = await readUploadedFiles(files);
    const { certificateId } = await importCertificate(acting, acting.account.id, uploaded);
    return pathOf(c, certificateId);
  };
  return submitted(c, <NewCertificatePage />, work, toFormNames);
});

const renamedFields = renamed({
  ...{ Certificate: 'certificate', Key: 'key', '.p12 file': 'p12' },
  ...{ clientEmail: 'pasted', privateKeyPem: 'pasted' },
  ...{ 'key-id': 'keyId', 'team-id': 'teamId', 'relay-url': 'relayUrl', 'relay-token': 'relayToken' },
});

/** Renames the fields of issues, and moves issues of an opened file to the field of the file or of its password. */
function toFormNames(issues: Issue[]): Issue[] {
  const fieldOf = (message: string) => {
    if (message.startsWith('The password')) return 'password';
    return message.startsWith('The .p12 file') ? 'p12' : '';
  };
  return renamedFields(issues).map((issue) => ({ ...issue, path: issue.path || fieldOf(issue.message) }));
}

/** Returns an uploaded file; undefined if none was chosen, which browsers send as an empty file without a name. */
async function fileOf(form: Record<string, unknown>, name: string): Promise<Uint8Array | undefined> {
  const value = form[name];
  return value instanceof File && value.size > 0 ? new Uint8Array(await value.arrayBuffer()) : undefined;
}

certificateRoutes.post('/requests', async (c) => {
  const renewed = textOf(await c.req.parseBody(), 'renewed');
  return submitted(c, <NewCertificatePage />, async () =>
    pathOf(c, 'requests', await requestCertificate(c.var.acting, renewed === '' ? null : renewed)),
  );
});

const oneRequest = async (c: AccountPageContext) => (
  <RequestPage request={await getCertificateRequest(c.var.acting, c.req.param('request')!)} />
);

certificateRoutes.get('/requests/:request', owner, async (c) => page(c, await oneRequest(c)));

certificateRoutes.get('/requests/:request/file', owner, async (c) => {
  const { requestPem, passTypeId } = await getCertificateRequest(c.var.acting, c.req.param('request'));
  return c.body(requestPem, 200, {
    'Content-Type': 'application/pkcs10',
    'Content-Disposition': `attachment; filename="${passTypeId ?? 'pass'}.certSigningRequest"`,
    'Cache-Control': 'private, no-store',
  });
});

certificateRoutes.post('/requests/:request', async (c) => {
  const form = await c.req.parseBody();
  const again = () => oneRequest(c);
  const work = async () => {
    const files = {
      certificate: await fileOf(form, 'certificate'),
      intermediate: await fileOf(form, 'intermediate'),
    };
    const { certificateId } = await completeRequest(c.var.acting, c.req.param('request'), files);
    return pathOf(c, certificateId);
  };
  return submitted(c, again, work, toFormNames);
});

certificateRoutes.get('/requests/:request/delete', owner, async (c) =>
  page(c, <WithdrawRequestPage request={await getCertificateRequest(c.var.acting, c.req.param('request'))} />),
);

certificateRoutes.post('/requests/:request/delete', async (c) => {
  const again = () => oneRequest(c);
  return submitted(c, again, async () => {
    await withdrawRequest(c.var.acting, c.req.param('request'));
    return pathOf(c);
  });
});

certificateRoutes.get('/google', owner, (c) => page(c, <NewIssuerPage />));

certificateRoutes.post('/google', async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody();
  const issuerId = textOf(form, 'issuerId').trim();
  const work = async () => {
    const pasted = textOf(form, 'pasted').trim();
    const file = await fileOf(form, 'serviceAccount');
    const key = readServiceAccount(file ? new TextDecoder().decode(file) : pasted);
    await addGoogleIssuer(acting, acting.account.id, { issuerId, ...key });
    return pathOf(c);
  };
  return submitted(c, <NewIssuerPage issuerId={issuerId} />, work, toFormNames);
});

/** Reads email address and private key from a service account's key file. */
function readServiceAccount(text: string) {
  if (text === '') throw invalidField('pasted', 'is required');
  try {
    const { client_email: clientEmail, private_key: privateKeyPem } = JSON.parse(text);
    if (typeof clientEmail === 'string' && typeof privateKeyPem === 'string') return { clientEmail, privateKeyPem };
  } catch {
    // Handled below.
  }
  throw invalidField('pasted', 'must be the JSON file with client_email and private_key');
}

certificateRoutes.get('/:certificate', async (c) => page(c, await oneCertificate(c)));

async function oneCertificate(c: AccountPageContext, typed?: TypedPush) {
  const certificate = await getOwnCertificate(c.var.acting, c.req.param('certificate')!);
  const shown = { certificate, now: Date.now() };
  return <CertificatePage {...shown} typed={typed} />;
}

certificateRoutes.get('/:certificate/delete', owner, async (c) => {
  const certificate = await getOwnCertificate(c.var.acting, c.req.param('certificate'));
  return page(c, <DeleteCertificatePage certificate={certificate} now={Date.now()} />);
});

certificateRoutes.get('/:certificate/default', owner, async (c) => {
  const certificate = await getOwnCertificate(c.var.acting, c.req.param('certificate'));
  return page(c, <PreferCertificatePage certificate={certificate} />);
});

/** Changes a certificate and redirects. If a rule rejects the change, the certificate's page shows why. */
function act(c: AccountPageContext, work: () => Promise<string>, typed?: TypedPush): Promise<Response> {
  return submitted(c, () => oneCertificate(c, typed), work, toFormNames);
}

certificateRoutes.post('/:certificate/default', (c) => {
  const id = c.req.param('certificate');
  return act(c, async () => {
    await preferCertificate(c.var.acting, id);
    return pathOf(c, id);
  });
});

certificateRoutes.post('/:certificate/delete', (c) =>
  act(c, async () => {
    await deleteCertificate(c.var.acting, c.req.param('certificate'));
    return pathOf(c);
  }),
);

certificateRoutes.post('/:certificate/push', async (c) => {
  const { acting } = c.var;
  const id = c.req.param('certificate');
  const form = await c.req.parseBody();
  const [way, keyId, teamId, relayUrl] = ['way', 'keyId', 'teamId', 'relayUrl'].map((name) =>
    textOf(form, name).trim(),
  );
  const typed = { way: way!, keyId: keyId!, teamId: teamId!, relayUrl: relayUrl! };
  const work = async () => {
    // Throws not found unless the certificate belongs to the account.
    await getOwnCertificate(acting, id);
    await setPushSettings(acting, id, await pushOptions(form, typed), acting.account.id);
    return pathOf(c, id);
  };
  return act(c, work, typed);
});

/**
 * Returns the push settings of the form. A Worker binding can't be set here: it could name another account's binding.
 */
async function pushOptions(form: Record<string, unknown>, typed: TypedPush): Promise<PushOptions> {
  if (typed.way === 'none') return { none: true };
  if (typed.way === 'relay') return { 'relay-url': typed.relayUrl, 'relay-token': textOf(form, 'relayToken') };
  if (typed.way !== 'p8') throw invalid('Choose how pushes reach Apple');
  const key = await fileOf(form, 'p8');
  if (!key) throw invalidField('p8', 'is required', 'required');
  const team = typed.teamId === '' ? {} : { 'team-id': typed.teamId };
  return { p8: new TextDecoder().decode(key), 'key-id': typed.keyId, ...team };
}
