import type { Camera } from '../camera/camera.ts';
import { unlockSound } from '../feedback/signals.ts';
import { HAS_NFC, listenToNfc } from '../inputs/nfc.ts';
import { boot, word } from '../page/boot.ts';
import { element, make } from '../page/elements.ts';
import { keepPreferences, type Preferences } from '../page/preferences.ts';

/** Callbacks of the view. */
interface SettingsHooks {
  preferences: Preferences;
  camera: Camera;
  /** A tag was read. */
  onNfc(value: string): void;
  /** Another camera was chosen. */
  onCamera(deviceId: string): void;
  /** Another configuration was chosen. Resolves to whether the change succeeded. */
  onConfiguration(id: string): Promise<boolean>;
}

/** Chromium's event for installing a page as an app, missing in the DOM types. */
interface InstallEvent extends Event {
  prompt(): Promise<void>;
}

const dialog = element<HTMLDialogElement>('settings');

export function prepareSettings(hooks: SettingsHooks): void {
  const { preferences, camera } = hooks;
  const save = () => keepPreferences(boot.base, preferences);
  element('open-settings').addEventListener('click', async () => {
    dialog.showModal();
    element('next-camera').hidden = !camera.isRunning || (await camera.nextDevice()) === undefined;
  });
  for (const name of ['sound', 'vibration'] as const) {
    const input = element<HTMLInputElement>(name);
    input.checked = preferences[name];
    input.addEventListener('change', () => {
      preferences[name] = input.checked;
      unlockSound();
      save();
    });
  }
  element('vibration-row').hidden = !navigator.vibrate;
  const device = element<HTMLInputElement>('device');
  device.value = preferences.device;
  device.addEventListener('change', () => {
    preferences.device = device.value.trim();
    save();
  });
  element('next-camera').addEventListener('click', async () => {
    const next = await camera.nextDevice();
    if (next === undefined) return;
    preferences.cameraId = next;
    save();
    hooks.onCamera(next);
    dialog.close();
  });
  prepareNfc(hooks);
  prepareInstallation();
}

/** Shows the configurations that the link can change to, with the current one selected. */
export function showChoices({ preferences, onConfiguration }: SettingsHooks, currentId: string): void {
  const { scanner } = boot;
  const choices = scanner.state === 'open' ? scanner.choices : [];
  element('choose-configuration').hidden = choices.length < 2;
  const select = element<HTMLSelectElement>('configuration');
  const options = choices.map(({ id, name, place }) =>
    make('option', { value: id, selected: id === currentId }, place ? `${name} · ${place}` : name),
  );
  select.replaceChildren(...options);
  select.onchange = async () => {
    if (!(await onConfiguration(select.value))) {
      select.value = currentId;
      return;
    }
    preferences.configurationId = select.value;
    keepPreferences(boot.base, preferences);
    dialog.close();
  };
}

function prepareNfc({ onNfc }: SettingsHooks): void {
  const input = element<HTMLInputElement>('nfc');
  const text = element('nfc-text');
  let listening: AbortController | undefined;
  element('nfc-row').hidden = !HAS_NFC;
  const say = (what: string) => {
    text.textContent = what;
    text.hidden = what === '';
  };
  input.addEventListener('change', async () => {
    listening?.abort();
    say('');
    if (!input.checked) return;
    listening = new AbortController();
    try {
      await listenToNfc(onNfc, listening.signal);
      say(word('nfcOn'));
    } catch {
      input.checked = false;
      say(word('nfcFailed'));
    }
  });
}

function prepareInstallation(): void {
  const button = element('install');
  const hint = element('install-hint');
  let offered: InstallEvent | undefined;
  hint.hidden = matchMedia('(display-mode: standalone)').matches;
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    offered = event as InstallEvent;
    button.hidden = false;
    hint.hidden = true;
  });
  button.addEventListener('click', async () => {
    await offered?.prompt();
    button.hidden = true;
  });
}
