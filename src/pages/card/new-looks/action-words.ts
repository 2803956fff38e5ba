import { ACTION_TYPES } from '../../../domain/templates/apple/members.ts';

export type ActionType = (typeof ACTION_TYPES)[number];

/** Titles of Wallet's featured actions, in our own wording: Apple publishes only the types. */
export const ACTION_WORDS: Record<string, Record<ActionType, string>> & { en: Record<ActionType, string> } = {
  en: actions(
    'View Schedule|Watch Trailer|Listen to Music|Call|Go to Location|Add to Balance|Order|Shop|View Membership Benefits|Book Appointment|Book a Car|Book a Flight|Book a Stay|View Offers & Rewards',
  ),
  de: actions(
    'Zeitplan ansehen|Trailer ansehen|Musik hören|Anrufen|Zum Ort|Guthaben aufladen|Bestellen|Einkaufen|Vorteile ansehen|Termin buchen|Auto buchen|Flug buchen|Unterkunft buchen|Angebote ansehen',
  ),
  fr: actions(
    'Voir le programme|Voir la bande-annonce|Écouter|Appeler|Aller au lieu|Recharger|Commander|Acheter|Voir les avantages|Prendre rendez-vous|Réserver une voiture|Réserver un vol|Réserver un séjour|Voir les offres',
  ),
  es: actions(
    'Ver el programa|Ver el tráiler|Escuchar música|Llamar|Ir al lugar|Añadir saldo|Pedir|Comprar|Ver ventajas|Pedir cita|Reservar coche|Reservar vuelo|Reservar estancia|Ver ofertas',
  ),
  it: actions(
    'Vedi programma|Guarda il trailer|Ascolta|Chiama|Vai al luogo|Ricarica|Ordina|Acquista|Vedi i vantaggi|Prenota appuntamento|Prenota auto|Prenota volo|Prenota soggiorno|Vedi offerte',
  ),
  nl: actions(
    'Bekijk programma|Bekijk trailer|Luister|Bel|Naar de locatie|Saldo opwaarderen|Bestel|Winkelen|Bekijk voordelen|Maak afspraak|Boek auto|Boek vlucht|Boek verblijf|Bekijk aanbiedingen',
  ),
};

/** Returns the titles of a language, listed in the order of `ACTION_TYPES`. */
function actions(row: string): Record<ActionType, string> {
  const words = row.split('|');
  return Object.assign({}, ...ACTION_TYPES.map((type, i) => ({ [type]: words[i] })));
}
