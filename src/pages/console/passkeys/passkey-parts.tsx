/** The button that signs in with a passkey. The script shows it in browsers with passkey support. */
export function PasskeyButton(props: {
  title: string;
  /** Address that verifies the signature. */
  url: string;
  /** Next page, in place of the one in the reply. */
  to?: string;
  /** Target of the surrounding form after the sign-in. */
  action?: string;
  isQuiet?: boolean;
}) {
  const { title, url, to, action, isQuiet } = props;
  return (
    <div class="stack" data-passkey="sign-in" data-url={url} data-to={to} data-action={action} hidden>
      <button class={isQuiet ? 'button quiet' : 'button'} type="button">
        {title}
      </button>
      <p class="field-error" role="alert"></p>
    </div>
  );
}
