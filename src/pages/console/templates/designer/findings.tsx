import type { AccountContext } from '../../../../domain/context.ts';
import type { StoredDefinition, TemplateDefinition } from '../../../../domain/templates/definition.ts';
import { type Finding, originOf } from '../../../../domain/templates/wallet-rules/finding.ts';
import { controlOf } from './definition-form.ts';

/** Findings of the wallets' rules, by control name. */
export type FindingsByName = Map<string, Finding[]>;

/** Returns the findings of the wallets' rules for a valid definition of a template whose newest one is `saved`. */
export async function findingsOf(
  ctx: AccountContext,
  definition: TemplateDefinition,
  saved: StoredDefinition,
): Promise<FindingsByName> {
  // Loaded on demand: only the designer needs the rules.
  const [{ walletFindings }, { imageSizes }] = await Promise.all([
    import('../../../../domain/templates/wallet-rules/lint-definition.ts'),
    import('../../../../domain/templates/wallet-rules/image-sizes.ts'),
  ]);
  const findings = walletFindings(definition, await imageSizes(ctx, definition, saved));
  return Map.groupBy(findings, ({ path }) => controlOf(path).name);
}

/** Lists of findings. The script moves each one to the control that it names. */
export function FindingLists({ findings }: { findings: FindingsByName }) {
  return (
    <>
      {[...findings].map(([name, all]) => (
        <ul class="findings" data-for={name}>
          {all.map((finding) => (
            <FindingItem {...finding} />
          ))}
        </ul>
      ))}
    </>
  );
}

const WORDS: Record<Finding['severity'], string> = { error: 'Error', warning: 'Warning', hint: 'Hint' };
const WALLETS: Record<Finding['wallet'], string> = {
  apple: 'Apple Wallet',
  google: 'Google Wallet',
  both: 'Apple Wallet and Google Wallet',
};

/** Shapes differ, so that severities don't depend on color: an octagon, a triangle and a circle. */
const SHAPES: Record<Finding['severity'], string> = {
  error: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',
  warning: 'M8 1l7 14H1z',
  hint: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1z',
};
const SIGNS: Record<Finding['severity'], string> = {
  error: 'M5.5 5.5l5 5m0-5l-5 5',
  warning: 'M8 6v4m0 1.6v1.4',
  hint: 'M8 4v1.5M8 7v5',
};

function FindingItem({ path, message, ...finding }: Finding) {
  const { rest } = controlOf(path);
  // Most messages continue a sentence that begins with the member.
  const start = rest && (/^\p{Ll}/u.test(message) ? `${rest} ` : `${rest}: `);
  return (
    <li>
      <FindingText {...finding} text={start + message} />
    </li>
  );
}

function FindingText({ severity, wallet, text, source }: Omit<Finding, 'path' | 'message'> & { text: string }) {
  return (
    <span class={`finding ${severity}`}>
      <svg class="finding-shape" viewBox="0 0 16 16" aria-hidden="true">
        <path class="finding-area" d={SHAPES[severity]} />
        <path class="finding-sign" d={SIGNS[severity]} />
      </svg>
      <span>
        <strong>
          {WORDS[severity]} for {WALLETS[wallet]}:
        </strong>{' '}
        {text}. <Source source={source} />
      </span>
    </span>
  );
}

/** The error of a control in a wallet's member; null for members that are ours. */
export function WalletError({ name, text }: { name: string; text: string }) {
  const { wallet, source } = originOf(name);
  return wallet === 'both' ? null : <FindingText severity="error" wallet={wallet} text={text} source={source} />;
}

/** A source is a URL, a URL with a note in parentheses, or the name of a document. */
const LINK = /^(https:\/\/\S+)(?: \((.+)\))?$/;

function Source({ source }: { source: string }) {
  const [, url, note] = LINK.exec(source) ?? [];
  if (!url) return <>Source: {source}.</>;
  return (
    <a href={url} target="_blank" rel="noopener">
      Source: {note ? `${sourceTitle(url)} (${note})` : sourceTitle(url)}
    </a>
  );
}

const PUBLISHERS: Record<string, string> = {
  'developer.apple.com': 'Apple',
  'developers.google.com': 'Google',
  'github.com': 'GitHub',
};

/** Formats `https://developer.apple.com/documentation/walletpasses/pass` as `Apple, walletpasses/pass`. */
function sourceTitle(url: string): string {
  const { host, pathname, hash } = new URL(url);
  const [page, folder] = pathname.split('/').filter(Boolean).reverse();
  const place = host === 'github.com' ? pathname.slice(1) : [folder, page].filter(Boolean).join('/');
  return `${PUBLISHERS[host] ?? host}, ${place}${hash}`;
}
