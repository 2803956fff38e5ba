/** In the order of the rows below. */
const NAMES = [
  'section',
  'row',
  'seat',
  'level',
  'entrance',
  'gate',
  'terminal',
  'boarding',
  'group',
  'zone',
  'sequence',
  'passenger',
  'onTime',
  'delayed',
  'early',
  'unannounced',
  'venue',
  'doorsOpen',
  'start',
  'eventGuide',
  'directions',
  'additional',
  'upcoming',
  'holdNear',
  'services',
  'share',
] as const;

/** Texts that wallets show on and around a pass, in the language of the phone, and its code. */
export type WalletWords = Record<'lang' | (typeof NAMES)[number], string>;

function words(lang: string, row: string): WalletWords {
  const texts = row.split('|');
  return Object.assign({ lang }, ...NAMES.map((name, i) => ({ [name]: texts[i] })));
}

/** The texts for each of `NAMES`, by language. */
export const WALLET_WORDS: Record<string, WalletWords> & { en: WalletWords } = {
  en: words(
    'en',
    'Section|Row|Seat|Level|Entrance|Gate|Terminal|Boards|Group|Zone|Sequence|Passenger|On time|Delayed|Early|To be announced|Venue|Doors open|Start|Event Guide|Directions|Additional Info|Upcoming Events|Hold Near Reader|Airline Services|Share Flight Tracker',
  ),
  de: words(
    'de',
    'Block|Reihe|Platz|Ebene|Eingang|Gate|Terminal|Einstieg|Gruppe|Zone|Nummer|Passagier|Pünktlich|Verspätet|Verfrüht|Noch nicht bekannt|Ort|Einlass|Beginn|Eventguide|Route|Weitere Infos|Nächste Events|Ans Lesegerät halten|Airline-Services|Flugtracker teilen',
  ),
  fr: words(
    'fr',
    'Section|Rang|Place|Niveau|Entrée|Porte|Terminal|Embarquement|Groupe|Zone|Séquence|Passager|À l’heure|Retardé|En avance|À annoncer|Lieu|Ouverture|Début|Guide de l’événement|Itinéraire|Autres infos|Prochains événements|Approcher du lecteur|Services de la compagnie|Partager le suivi',
  ),
  es: words(
    'es',
    'Sección|Fila|Asiento|Nivel|Entrada|Puerta|Terminal|Embarque|Grupo|Zona|Secuencia|Pasajero|A tiempo|Con retraso|Adelantado|Por anunciar|Lugar|Apertura|Inicio|Guía del evento|Cómo llegar|Más información|Próximos eventos|Acercar al lector|Servicios de la aerolínea|Compartir el vuelo',
  ),
  it: words(
    'it',
    'Settore|Fila|Posto|Livello|Ingresso|Uscita|Terminal|Imbarco|Gruppo|Zona|Sequenza|Passeggero|In orario|In ritardo|In anticipo|Da annunciare|Luogo|Apertura|Inizio|Guida all’evento|Indicazioni|Altre info|Prossimi eventi|Avvicina al lettore|Servizi della compagnia|Condividi il volo',
  ),
  nl: words(
    'nl',
    'Vak|Rij|Stoel|Niveau|Ingang|Gate|Terminal|Instappen|Groep|Zone|Volgnummer|Passagier|Op tijd|Vertraagd|Vroeger|Wordt nog bekend|Locatie|Deuren open|Begin|Evenementgids|Route|Meer info|Komende evenementen|Houd bij de lezer|Diensten van de airline|Deel vlucht',
  ),
};
