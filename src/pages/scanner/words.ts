/** Words of the gate app in one language. `{…}` is filled in by the app. */
export interface ScannerWords {
  lang: string;
  start: string;
  startText: string;
  aim: string;
  noScript: string;
  denied: string;
  missing: string;
  busy: string;
  insecure: string;
  unreadable: string;
  tryAgain: string;
  typeCode: string;
  typeTitle: string;
  typeLabel: string;
  check: string;
  cancel: string;
  close: string;
  light: string;
  lastScans: string;
  settings: string;
  online: string;
  offline: string;
  waiting: string;
  waitingOne: string;
  scanned: string;
  refused: string;
  perMinute: string;
  valid: string;
  noted: string;
  alreadyUsed: string;
  alreadyScanned: string;
  wrongPlace: string;
  wrongPass: string;
  notYetValid: string;
  expired: string;
  limitReached: string;
  unknown: string;
  unconfirmed: string;
  notTaken: string;
  recorded: string;
  validText: string;
  notedText: string;
  voidedText: string;
  usedText: string;
  usedAtText: string;
  wrongPlaceText: string;
  wrongPassText: string;
  notYetValidText: string;
  expiredText: string;
  limitDayText: string;
  limitStampsText: string;
  limitText: string;
  unknownText: string;
  unconfirmedText: string;
  notKept: string;
  alreadyScannedText: string;
  next: string;
  storedValue: string;
  newValue: string;
  valueReplace: string;
  valueAdd: string;
  propertiesTitle: string;
  propertiesText: string;
  save: string;
  notNegative: string;
  noNumber: string;
  sound: string;
  vibration: string;
  device: string;
  deviceHint: string;
  camera: string;
  nfc: string;
  nfcOn: string;
  nfcFailed: string;
  configuration: string;
  install: string;
  installHint: string;
  noScans: string;
  thisDevice: string;
  allDevices: string;
  allDevicesOffline: string;
  undo: string;
  undone: string;
  undoFailed: string;
  conflictsTitle: string;
  conflictsText: string;
  conflictsBanner: string;
  conflictsBannerOne: string;
  show: string;
  understood: string;
  lockedTitle: string;
  lockedText: string;
  pin: string;
  unlock: string;
  pinWrong: string;
  pinTooMany: string;
  pinOffline: string;
  goneTitle: string;
  goneText: string;
  errorTitle: string;
  errorText: string;
  appName: string;
}

const en: ScannerWords = {
  lang: 'en',
  start: 'Start scanning',
  startText: 'The camera opens on this device. Nothing is recorded.',
  aim: 'Hold the code into the frame',
  noScript: 'This app needs JavaScript. Allow it in your browser and load the page again.',
  denied: 'The camera is not allowed here. Allow it for this page in the browser’s settings, or type the code.',
  missing: 'This device has no camera. Type the code, or connect a barcode reader.',
  busy: 'Another app is using the camera. Close it and try again.',
  insecure: 'The camera works over https only. Type the code, or open the link with https.',
  unreadable: 'This browser cannot read barcodes. Type the code, or connect a barcode reader.',
  tryAgain: 'Try again',
  typeCode: 'Type code',
  typeTitle: 'Type the code',
  typeLabel: 'Code on the pass',
  check: 'Check',
  cancel: 'Cancel',
  close: 'Close',
  light: 'Light',
  lastScans: 'Last scans',
  settings: 'Settings',
  online: 'Online',
  offline: 'Offline',
  waiting: '{count} scans not yet confirmed',
  waitingOne: '1 scan not yet confirmed',
  scanned: 'Scanned',
  refused: 'Refused',
  perMinute: 'Per minute',
  valid: 'Valid',
  noted: 'Noted',
  alreadyUsed: 'Already used',
  alreadyScanned: 'Already scanned',
  wrongPlace: 'Wrong place',
  wrongPass: 'Wrong pass',
  notYetValid: 'Not valid yet',
  expired: 'Expired',
  limitReached: 'Limit reached',
  unknown: 'Unknown',
  unconfirmed: 'Not yet confirmed',
  notTaken: 'Not accepted',
  recorded: 'Recorded',
  validText: 'The pass is now marked as used.',
  notedText: 'The pass is valid. Attendance is noted.',
  voidedText: 'This pass was used before, or has been voided.',
  usedText: 'This pass was used here before.',
  usedAtText: 'Used {time}.',
  wrongPlaceText: 'This pass is not valid at {place}.',
  wrongPassText: 'This pass is not for “{name}”.',
  notYetValidText: 'It is valid from {date}.',
  expiredText: 'It was valid until {date}.',
  limitDayText: 'This pass is accepted once a day.',
  limitStampsText: 'This pass has no stamps left.',
  limitText: 'This pass is used up.',
  unknownText: 'No pass has this code.',
  unconfirmedText: 'The service cannot be reached. The scan is kept, and checked as soon as it can.',
  notKept: 'The service cannot be reached, and this browser keeps nothing. Scan the pass again.',
  alreadyScannedText: 'This device scanned it {time}.',
  next: 'Next',
  storedValue: 'Value: {value}',
  newValue: 'New value',
  valueReplace: 'New value of the pass',
  valueAdd: 'Add to the value of the pass',
  propertiesTitle: 'Before you go on',
  propertiesText: 'Code {value}',
  save: 'Save scan',
  notNegative: '{name} cannot be negative',
  noNumber: '{name} needs a number',
  sound: 'Sound',
  vibration: 'Vibration',
  device: 'Name of this device',
  deviceHint: 'Stands with each scan, for example “Gate B”.',
  camera: 'Switch camera',
  nfc: 'Read NFC tags',
  nfcOn: 'NFC is on: hold a tag to the back of the phone.',
  nfcFailed: 'NFC is off or not allowed on this device.',
  configuration: 'What is validated',
  install: 'Install this app',
  installHint: 'To keep this app, choose “Add to home screen” in your browser’s menu.',
  noScans: 'No scans yet.',
  thisDevice: 'This device',
  allDevices: 'All devices',
  allDevicesOffline: 'The scans of other devices show when there is a connection.',
  undo: 'Undo',
  undone: 'Undone',
  undoFailed: 'This scan could not be undone.',
  conflictsTitle: 'Needs your attention',
  conflictsText: 'These scans were made without a connection and are not valid after all.',
  conflictsBanner: '{count} scans turned out not to be valid',
  conflictsBannerOne: '1 scan turned out not to be valid',
  show: 'Show',
  understood: 'Understood',
  lockedTitle: 'This link has expired',
  lockedText: 'Enter the PIN that came with it to go on.',
  pin: 'PIN',
  unlock: 'Unlock',
  pinWrong: 'This PIN is not right.',
  pinTooMany: 'Too many wrong PINs. Try again in 15 minutes.',
  pinOffline: 'There is no connection. Try again when there is one.',
  goneTitle: 'This link no longer works',
  goneText: 'Ask whoever sent it for a new one.',
  errorTitle: 'Something went wrong',
  errorText: 'The fault is ours, not yours. Please try again in a moment.',
  appName: 'Gate',
};

const de: ScannerWords = {
  lang: 'de',
  start: 'Scannen starten',
  startText: 'Die Kamera öffnet sich auf diesem Gerät. Nichts wird aufgezeichnet.',
  aim: 'Code in den Rahmen halten',
  noScript: 'Diese App braucht JavaScript. Erlauben Sie es im Browser und laden Sie die Seite neu.',
  denied:
    'Die Kamera ist hier nicht erlaubt. Erlauben Sie sie in den Einstellungen des Browsers, oder tippen Sie den Code ein.',
  missing: 'Dieses Gerät hat keine Kamera. Tippen Sie den Code ein, oder schließen Sie einen Barcodeleser an.',
  busy: 'Eine andere App benutzt die Kamera. Schließen Sie diese und versuchen Sie es noch einmal.',
  insecure: 'Die Kamera geht nur über https. Tippen Sie den Code ein, oder öffnen Sie den Link mit https.',
  unreadable:
    'Dieser Browser kann keine Barcodes lesen. Tippen Sie den Code ein, oder schließen Sie einen Barcodeleser an.',
  tryAgain: 'Noch einmal versuchen',
  typeCode: 'Code eingeben',
  typeTitle: 'Code eingeben',
  typeLabel: 'Code auf der Karte',
  check: 'Prüfen',
  cancel: 'Abbrechen',
  close: 'Schließen',
  light: 'Licht',
  lastScans: 'Letzte Scans',
  settings: 'Einstellungen',
  online: 'Online',
  offline: 'Offline',
  waiting: '{count} Scans noch nicht bestätigt',
  waitingOne: '1 Scan noch nicht bestätigt',
  scanned: 'Gescannt',
  refused: 'Abgelehnt',
  perMinute: 'Pro Minute',
  valid: 'Gültig',
  noted: 'Erfasst',
  alreadyUsed: 'Schon benutzt',
  alreadyScanned: 'Schon gescannt',
  wrongPlace: 'Falscher Ort',
  wrongPass: 'Falsche Karte',
  notYetValid: 'Noch nicht gültig',
  expired: 'Abgelaufen',
  limitReached: 'Limit erreicht',
  unknown: 'Unbekannt',
  unconfirmed: 'Noch nicht bestätigt',
  notTaken: 'Nicht angenommen',
  recorded: 'Festgehalten',
  validText: 'Die Karte gilt jetzt als benutzt.',
  notedText: 'Die Karte ist gültig. Die Anwesenheit ist erfasst.',
  voidedText: 'Diese Karte wurde schon benutzt oder ist entwertet.',
  usedText: 'Diese Karte wurde hier schon benutzt.',
  usedAtText: 'Benutzt {time}.',
  wrongPlaceText: 'Diese Karte gilt nicht für {place}.',
  wrongPassText: 'Diese Karte ist nicht für „{name}“.',
  notYetValidText: 'Sie gilt ab {date}.',
  expiredText: 'Sie galt bis {date}.',
  limitDayText: 'Diese Karte gilt einmal am Tag.',
  limitStampsText: 'Diese Karte hat keine Stempel mehr.',
  limitText: 'Diese Karte ist aufgebraucht.',
  unknownText: 'Keine Karte hat diesen Code.',
  unconfirmedText: 'Der Dienst ist nicht erreichbar. Der Scan ist aufgehoben und wird geprüft, sobald er es ist.',
  notKept: 'Der Dienst ist nicht erreichbar, und dieser Browser behält nichts. Scannen Sie die Karte noch einmal.',
  alreadyScannedText: 'Dieses Gerät hat sie {time} gescannt.',
  next: 'Weiter',
  storedValue: 'Wert: {value}',
  newValue: 'Neuer Wert',
  valueReplace: 'Neuer Wert der Karte',
  valueAdd: 'Zum Wert der Karte hinzuzählen',
  propertiesTitle: 'Bevor es weitergeht',
  propertiesText: 'Code {value}',
  save: 'Scan speichern',
  notNegative: '{name} kann nicht negativ sein',
  noNumber: '{name} braucht eine Zahl',
  sound: 'Ton',
  vibration: 'Vibration',
  device: 'Name dieses Geräts',
  deviceHint: 'Steht bei jedem Scan, zum Beispiel „Eingang B“.',
  camera: 'Kamera wechseln',
  nfc: 'NFC lesen',
  nfcOn: 'NFC ist an: Tag an die Rückseite des Telefons halten.',
  nfcFailed: 'NFC ist aus oder auf diesem Gerät nicht erlaubt.',
  configuration: 'Was geprüft wird',
  install: 'App installieren',
  installHint: 'Um die App zu behalten, wählen Sie „Zum Home-Bildschirm“ im Menü des Browsers.',
  noScans: 'Noch keine Scans.',
  thisDevice: 'Dieses Gerät',
  allDevices: 'Alle Geräte',
  allDevicesOffline: 'Die Scans anderer Geräte erscheinen, wenn es eine Verbindung gibt.',
  undo: 'Zurücknehmen',
  undone: 'Zurückgenommen',
  undoFailed: 'Dieser Scan ließ sich nicht zurücknehmen.',
  conflictsTitle: 'Bitte ansehen',
  conflictsText: 'Diese Scans wurden ohne Verbindung gemacht und sind doch nicht gültig.',
  conflictsBanner: '{count} Scans sind doch nicht gültig',
  conflictsBannerOne: '1 Scan ist doch nicht gültig',
  show: 'Ansehen',
  understood: 'Verstanden',
  lockedTitle: 'Dieser Link ist abgelaufen',
  lockedText: 'Geben Sie die PIN ein, die dazugehört.',
  pin: 'PIN',
  unlock: 'Entsperren',
  pinWrong: 'Diese PIN stimmt nicht.',
  pinTooMany: 'Zu viele falsche PINs. Versuchen Sie es in 15 Minuten wieder.',
  pinOffline: 'Keine Verbindung. Versuchen Sie es wieder, wenn es eine gibt.',
  goneTitle: 'Dieser Link gilt nicht mehr',
  goneText: 'Fragen Sie den Absender nach einem neuen.',
  errorTitle: 'Etwas ist schiefgegangen',
  errorText: 'Der Fehler liegt bei uns. Bitte versuchen Sie es gleich noch einmal.',
  appName: 'Einlass',
};

export const SCANNER_WORDS = { en, de };
