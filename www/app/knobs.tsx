/** @jsxImportSource preact */
/** Settings that several views have. Each is a field of the address. */

import type { EncodingName } from "../../js/types/count.ts";
import { encoding, setParam } from "./state.ts";

/** Chooses the encoding with which all views count. */
export function EncodingChoice({ onChange }: { onChange?(): void }) {
  return (
    <select
      id="encoding"
      aria-label="Encoding"
      value={encoding.value}
      onChange={({ currentTarget }) => {
        encoding.value = currentTarget.value as EncodingName;
        onChange?.();
      }}
    >
      <option value="o200k_base" title="gpt-4o and newer">
        o200k_base
      </option>
      <option value="cl100k_base" title="gpt-4, gpt-3.5">
        cl100k_base
      </option>
    </select>
  );
}

export type Profile = "espalier" | "copilot-chat";

/** Reads a profile of the address. */
export const readProfile = (text: string | undefined): Profile =>
  text === "copilot-chat" ? "copilot-chat" : "espalier";

interface ProfileProps {
  /** In the address. */
  name: string;
  value: Profile;
  legend?: string;
  titles?: Readonly<Record<Profile, string>>;
  hints: Readonly<Record<Profile, string>>;
}

/** Chooses between our own rules and those of Copilot Chat. */
export function ProfileChoice({ name, value, legend = "Profile", titles, hints }: ProfileProps) {
  return (
    <fieldset id="profile">
      <legend>{legend}</legend>
      {(["espalier", "copilot-chat"] as const).map((one) => (
        <label key={one} title={hints[one]}>
          <input
            type="radio"
            name="profile"
            value={one}
            checked={value === one}
            onChange={() => setParam(name, one === "espalier" ? undefined : one)}
          />{" "}
          {titles?.[one] ?? one}
        </label>
      ))}
    </fieldset>
  );
}

interface SwitchProps {
  id: string;
  /** In the address. */
  name: string;
  isOn: boolean;
  isOnByDefault?: boolean;
  title?: string;
  children: string;
}

export function Switch({ id, name, isOn, isOnByDefault = false, title, children }: SwitchProps) {
  return (
    <label title={title}>
      <input
        type="checkbox"
        id={id}
        checked={isOn}
        onChange={({ currentTarget: { checked } }) =>
          setParam(name, checked === isOnByDefault ? undefined : checked ? "1" : "0")
        }
      />{" "}
      {children}
    </label>
  );
}
