import { wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import { PAGE_WORDS, type PageWords } from './words.ts';

/** Messages of pages without a pass. */
export type Message = 'notFound' | 'gone' | 'error' | 'tooMany';

/** A page with only a message, in the design of the download page. */
export function MessagePage({ language, message }: { language: string; message: Message }) {
  const words: PageWords = wordsIn(PAGE_WORDS, language);
  const title = words[`${message}Title`];
  return (
    <Layout language={words.lang} title={title} stylesheet="download/styles.css">
      <main class="message">
        <div class="message-card" aria-hidden="true" />
        <h1>{title}</h1>
        <p>{words[`${message}Text`]}</p>
      </main>
    </Layout>
  );
}
