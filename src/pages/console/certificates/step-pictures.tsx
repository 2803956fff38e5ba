import type { Child } from 'hono/jsx';

/* Our own pictures of Apple's pages. The text beside each one says the same. */

function Picture({ children }: { children: Child }) {
  return (
    <svg class="step-picture" viewBox="0 0 240 150" role="presentation" aria-hidden="true" focusable="false">
      <rect class="window" x="1" y="1" width="238" height="148" rx="10" />
      <path class="line" d="M1 24H239" />
      {[14, 26, 38].map((x) => (
        <circle class="dot" cx={x} cy="12.5" r="3.5" />
      ))}
      {children}
    </svg>
  );
}

function Bar({ x, y, width, look = 'text' }: { x: number; y: number; width: number; look?: string }) {
  return <rect class={look} x={x} y={y} width={width} height="8" rx="4" />;
}

/** The private key stays, the request file leaves. */
export function RequestPicture() {
  return (
    <Picture>
      <g class="mark">
        <circle cx="58" cy="82" r="15" />
        <path d="M72 82H104M94 82V93M103 82V91" />
      </g>
      <path class="mark" d="M118 82H142M135 75L142 82L135 89" />
      <path class="sheet" d="M158 52H188L202 66V114H158Z" />
      <path class="mark" d="M188 52V66H202" />
      {[76, 86, 96].map((y) => (
        <Bar x={166} y={y} width={y === 96 ? 18 : 28} />
      ))}
    </Picture>
  );
}

/** A list of identifier types with one selected, and the button that adds an identifier. */
export function IdentifierPicture() {
  return (
    <Picture>
      <Bar x={20} y={36} width={74} look="title" />
      <circle class="chosen" cx="212" cy="40" r="10" />
      <path class="on-chosen" d="M212 35V45M207 40H217" />
      {[62, 84, 106, 128].map((y, i) => (
        <>
          <circle class={i === 2 ? 'chosen' : 'choice'} cx="28" cy={y + 4} r="6" />
          <Bar x={44} y={y} width={[90, 118, 78, 102][i]!} look={i === 2 ? 'title' : 'text'} />
        </>
      ))}
    </Picture>
  );
}

/** A table of certificates, one of which expires soon. */
export function CertificateListPicture() {
  return (
    <Picture>
      <Bar x={20} y={36} width={92} look="title" />
      {[62, 88, 114].map((y, i) => (
        <>
          <path class="line" d={`M20 ${y - 7}H220`} />
          <Bar x={20} y={y} width={i === 1 ? 110 : 84} look={i === 1 ? 'title' : 'text'} />
          <Bar x={164} y={y} width={56} look={i === 1 ? 'chosen' : 'text'} />
        </>
      ))}
    </Picture>
  );
}

/** A form for the request file, and the certificate it returns. */
export function ChooseFilePicture() {
  return (
    <Picture>
      <Bar x={20} y={36} width={120} look="title" />
      <rect class="drop" x="20" y="56" width="120" height="50" rx="6" />
      <path class="mark" d="M80 94V70M71 79L80 70L89 79" />
      <rect class="chosen" x="20" y="118" width="60" height="16" rx="8" />
      <g class="mark">
        <circle cx="190" cy="78" r="22" />
        <path d="M180 78L188 86L201 71M176 96L172 124L190 114L208 124L204 96" />
      </g>
    </Picture>
  );
}
