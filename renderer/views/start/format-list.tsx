import { FORMATS } from '../../../shared/formats/registry.ts'

/** What can be read. */
export function FormatList() {
  return (
    <section>
      <h2>Formats</h2>
      <dl className="format-list">
        {FORMATS.map((format) => (
          <div key={format.id}>
            <dt>{format.id}</dt>
            <dd>{format.title}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet">
        As JSONL, JSON, Parquet, Arrow, MessagePack, pickles or torch files, also compressed or in archives. A file is
        recognised by what is in it, not by its name.
      </p>
    </section>
  )
}
