import { stylesheet } from '../assets.ts';
import card from '../card/card.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import barrier from './barrier.css';
import bundle from './bundle.css';
import download from './download.css';
import print from './print.css';

/** The stylesheet of the download pages, the print version and the messages. */
export const DOWNLOAD_STYLESHEET = stylesheet('download', [tokens, base, card, download, bundle, barrier, print]);
