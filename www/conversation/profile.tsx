/** @jsxImportSource preact */
/** The profile by which the mode compact summarises. */

import { ask } from "../app/ask.ts";
import { say } from "../app/state.ts";
import { ProfileChoice, ProfileEditor } from "../parts/profile-editor.tsx";
import { chooseProfile, profile } from "./state.ts";

export function ProfileSettings() {
  return (
    <div class="profile">
      <label for="profile">
        Profile <ProfileChoice id="profile" given={profile.value} onChange={chooseProfile} />
      </label>
      <ProfileEditor
        id="profile-json"
        given={profile.value}
        onChange={chooseProfile}
        say={say}
        read={(text) => ask("profile", { text })}
      />
    </div>
  );
}
