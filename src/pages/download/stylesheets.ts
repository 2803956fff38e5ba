import { stylesheet } from '../assets.ts';
import card from '../card/card.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import download from './download.css';
import print from './print.css';

/** The stylesheet of the download page, its print version and its messages. */
export const DOWNLOAD_STYLESHEET = stylesheet('download', [tokens, base, card, download, print]);
