"""Where cards are mirrored: one provider protocol, plan and apply, ownership at the wire. Nothing is here yet but the room."""
