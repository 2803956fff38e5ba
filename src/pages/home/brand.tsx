/** Name of the service on all its pages. */
export const SERVICE_NAME = 'Pass wallet service';

/** The logo and name of the service, as a link to the front page. */
export function Brand() {
  return (
    <a class="brand" href="/">
      <BrandMark />
      {SERVICE_NAME}
    </a>
  );
}

/** The logo: two overlapping passes in the color of the surrounding text. */
function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path
        d="M6.5 6V4.5A2.5 2.5 0 0 1 9 2h10a2.5 2.5 0 0 1 2.500 2.500v9A2.500 2.500 0 0 1 19 16h-.5"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        opacity="0.55"
      />
      <path
        fill="currentColor"
        d="M5 8h9a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H5a3 3 0 0 1-3-3v-1.400a1.600 1.600 0 0 0 0-3.200V11a3 3 0 0 1 3-3Z"
      />
    </svg>
  );
}
