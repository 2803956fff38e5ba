/** The button that signs in with a passkey. The script shows it where the browser can do that. */
export function PasskeyButton(props: {
  title: string;
  /** What takes the signature. */
  url: string;
  /** Where to go on, instead of where the reply says. */
  to?: string;
  /** Where the form around the button is sent to then. */
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
