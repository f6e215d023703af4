/** @jsxImportSource preact */
/** Chooses a profile, and edits all of its fields as JSON, which the package checks while one types. */

import { useEffect, useRef, useState } from "preact/hooks";
import { PROFILES, baseOf, profileTitle } from "./profile-text.ts";
import type { ReadProfile } from "./profile-text.ts";

/** Milliseconds without a key after which typed text is read. */
const TYPED = 350;

export interface ProfileProps {
  id: string;
  /** A name, or JSON text. */
  given: string;
  onChange(given: string): void;
}

export function ProfileChoice({ id, given, onChange }: ProfileProps) {
  const isNamed = PROFILES.some((name) => name === given);
  return (
    <select id={id} value={given} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {PROFILES.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
      {!isNamed && <option value={given}>{profileTitle(given)}</option>}
    </select>
  );
}

interface EditorProps extends ProfileProps {
  /** Whose profile it is, if there are two. */
  of?: string;
  /** Rejects with what is wrong, and where. */
  read(text: string): Promise<ReadProfile>;
  /** Says what is wrong to those who cannot see it. */
  say(text: string): void;
}

export function ProfileEditor({ id, given, of = "", onChange, read, say }: EditorProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState<string>();
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [error, setError] = useState<{ message: string; code: string }>();
  const newest = useRef(0);
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The value of the text. Another one comes from outside, and replaces the text. */
  const own = useRef<string>(undefined);

  async function take(from: string, isTyped: boolean): Promise<void> {
    const number = ++newest.current;
    try {
      const answer = await read(from);
      if (number !== newest.current) return;
      own.current = answer.given;
      setError(undefined);
      setChanged(answer.changed);
      if (!isTyped) setText(answer.all);
      else if (answer.given !== given) onChange(answer.given);
    } catch (failed) {
      if (number === newest.current) {
        setError(failed as { message: string; code: string });
        say((failed as Error).message);
      }
      if (!isTyped) setText((before) => before ?? from);
    }
  }
  useEffect(() => {
    if (isOpen && given !== own.current) void take(given, false);
  }, [isOpen, given]);
  useEffect(() => () => clearTimeout(typing.current), []);

  function type(typed: string): void {
    setText(typed);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => void take(typed, true), TYPED);
  }

  const base = baseOf(given);
  return (
    <details class="profile-json" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Edit the profile{of && ` of ${of}`} as JSON{given === base ? "" : `: ${profileTitle(given)}`}
      </summary>
      {isOpen && text !== undefined && (
        <>
          <div class="actions">
            <p id={`${id}-said`} class={error ? "said bad" : "said"}>
              {error
                ? `${error.message} [${error.code}] The last correct profile is still in use.`
                : changed.length === 0
                  ? `These are the fields of ${base}. What you change is used at once.`
                  : `Unlike ${base}: ${changed.join(", ")}.`}
            </p>
            <button
              type="button"
              id={`${id}-reset`}
              aria-disabled={changed.length === 0 && !error}
              onClick={() => {
                clearTimeout(typing.current);
                own.current = undefined;
                if (given === base) void take(base, false);
                else onChange(base);
              }}
            >
              Back to {base}
            </button>
          </div>
          <textarea
            id={id}
            aria-label={`All fields of the profile${of && ` of ${of}`}, as JSON`}
            aria-invalid={error !== undefined}
            aria-describedby={`${id}-said`}
            rows={14}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </>
      )}
    </details>
  );
}
